package io.sluice.spill.disk;

import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of a device at one moment.
 *
 * @param name the first directory on it that was used
 * @param hangs whether it does not answer now
 * @param classes reads or writes by class so far; a class without any is absent
 */
public record DeviceStats(String name, boolean hangs, Map<IoClass, Done> classes) {
  /**
   * The reads or writes of a class.
   *
   * @param bytes of all units
   * @param waits time of each unit from the request to its end, with the time in the queue
   */
  public record Done(long bytes, WaitCounts waits) {}

  /** Counts reads and writes. Thread contract: safe from any thread, without a lock. */
  static final class DeviceMeter {
    private final Map<IoClass, Counts> classes = new EnumMap<>(IoClass.class);

    private static final class Counts {
      private final LongAdder bytes = new LongAdder();
      private final WaitHistogram waits = new WaitHistogram();
    }

    DeviceMeter() {
      for (IoClass each : IoClass.values()) {
        classes.put(each, new Counts());
      }
    }

    void done(IoClass ioClass, int lengthBytes, long tookNanos) {
      Counts counts = classes.get(ioClass);
      counts.bytes.add(lengthBytes);
      counts.waits.add(tookNanos);
    }

    Map<IoClass, Done> counts() {
      Map<IoClass, Done> found = new EnumMap<>(IoClass.class);
      classes.forEach(
          (ioClass, counts) -> {
            WaitCounts waits = counts.waits.counts();
            if (waits.count() > 0) {
              found.put(ioClass, new Done(counts.bytes.sum(), waits));
            }
          });
      return found;
    }
  }
}
