package io.sluice.local.count;

import java.io.Closeable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;

/**
 * Measures one attempt, for the counters that Hadoop's task code takes from the process. CPU time
 * is that of the task's thread only. Bytes of file systems include those that its reader and writer
 * move on other threads.
 *
 * <p>Thread contract: made and closed by the task's thread; other methods from any thread.
 */
public final class TaskMeters implements Closeable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final IoMeter input = new IoMeter();
  private final IoMeter output = new IoMeter();
  private final FileSystemCounts files = new FileSystemCounts();
  private final Thread thread = Thread.currentThread();
  private final long cpuBeganNs = cpuNs();
  private final double gcBeganMs = GcShare.enter();

  /** Begins with the attempt. */
  public TaskMeters() {}

  IoMeter input() {
    return input;
  }

  IoMeter output() {
    return output;
  }

  private long cpuNs() {
    return THREADS.getThreadCpuTime(thread.getId());
  }

  /** Replaces the values of Hadoop's task code by those so far. */
  public void putInto(Counters counters) {
    files.putInto(counters, input::bytesOfOthers, output::bytesOfOthers);
    if (input.measures()) {
      counters.findCounter(FileInputFormatCounter.BYTES_READ).setValue(input.bytes());
    }
    if (output.measures()) {
      counters.findCounter(FileOutputFormatCounter.BYTES_WRITTEN).setValue(output.bytes());
    }
    counters
        .findCounter(TaskCounter.CPU_MILLISECONDS)
        .setValue(TimeUnit.NANOSECONDS.toMillis(Math.max(0, cpuNs() - cpuBeganNs)));
    counters
        .findCounter(TaskCounter.GC_TIME_MILLIS)
        .setValue(Math.round(GcShare.timeMs() - gcBeganMs));
  }

  @Override
  public void close() {
    GcShare.leave();
  }

  /**
   * A clock of the process's garbage collection, divided by the number of running tasks. The
   * difference of two times is the share of one task; the shares of all tasks add up to the whole.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class GcShare {
    private static final List<GarbageCollectorMXBean> COLLECTORS =
        ManagementFactory.getGarbageCollectorMXBeans();

    private static double clockMs; // these three guarded by the class
    private static long lastMs = gcMs();
    private static int tasks;

    private GcShare() {}

    private static long gcMs() {
      return COLLECTORS.stream().mapToLong(each -> Math.max(0, each.getCollectionTime())).sum();
    }

    private static double advance() {
      long nowMs = gcMs();
      if (tasks > 0) {
        clockMs += (nowMs - lastMs) / (double) tasks;
      }
      lastMs = nowMs;
      return clockMs;
    }

    /** A task begins. */
    static synchronized double enter() {
      double atMs = advance();
      tasks++;
      return atMs;
    }

    static synchronized double timeMs() {
      return advance();
    }

    /** A task has ended. */
    static synchronized void leave() {
      advance();
      tasks--;
    }
  }
}
