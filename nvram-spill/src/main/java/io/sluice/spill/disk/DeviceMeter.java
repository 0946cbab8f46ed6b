package io.sluice.spill.disk;

import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a device did. Thread contract: safe from any thread, without a lock. */
final class DeviceMeter {
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

  Map<IoClass, DeviceStats.Done> counts() {
    Map<IoClass, DeviceStats.Done> found = new EnumMap<>(IoClass.class);
    classes.forEach(
        (ioClass, counts) -> {
          WaitCounts waits = counts.waits.counts();
          if (waits.count() > 0) {
            found.put(ioClass, new DeviceStats.Done(counts.bytes.sum(), waits));
          }
        });
    return found;
  }
}
