package io.sluice.local.count;

import java.io.Closeable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;
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

  /**
   * Counts the bytes and operations of one task's thread in file systems. Hadoop's task code counts
   * all threads of the process, which is right only if a task has a process of its own.
   *
   * <p>Thread contract: made by the task's thread, which updates the counts; another thread sees
   * the last update.
   */
  static final class FileSystemCounts {
    private final Thread thread = Thread.currentThread();
    private final Map<String, Sums> before = sums();
    private volatile Map<String, Sums> last = Map.of();

    /** The counts of one scheme. */
    private record Sums(
        long readBytes, long writtenBytes, long reads, long largeReads, long writes) {
      static final Sums NONE = new Sums(0, 0, 0, 0, 0);

      Sums plus(Sums other, int sign) {
        return new Sums(
            readBytes + sign * other.readBytes,
            writtenBytes + sign * other.writtenBytes,
            reads + sign * other.reads,
            largeReads + sign * other.largeReads,
            writes + sign * other.writes);
      }
    }

    /** Begins at zero. */
    FileSystemCounts() {}

    @SuppressWarnings("deprecation") // Task uses it too
    private static Map<String, Sums> sums() {
      Map<String, Sums> all = new HashMap<>();
      for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
        FileSystem.Statistics.StatisticsData data = each.getThreadStatistics();
        Sums sums =
            new Sums(
                data.getBytesRead(),
                data.getBytesWritten(),
                data.getReadOps(),
                data.getLargeReadOps(),
                data.getWriteOps());
        all.merge(each.getScheme(), sums, (one, other) -> one.plus(other, 1));
      }
      return all;
    }

    /**
     * Replaces the counters of the whole process.
     *
     * @param readByOthers bytes that other threads have read for the task, by scheme
     * @param writtenByOthers bytes that other threads have written for the task, by scheme
     */
    @SuppressWarnings("deprecation")
    void putInto(
        Counters counters,
        ToLongFunction<String> readByOthers,
        ToLongFunction<String> writtenByOthers) {
      if (Thread.currentThread() == thread) {
        Map<String, Sums> now = sums();
        now.replaceAll((scheme, sums) -> sums.plus(before.getOrDefault(scheme, Sums.NONE), -1));
        last = now;
      }
      Map<String, Sums> found = last;
      for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
        String scheme = each.getScheme();
        Sums sums = found.getOrDefault(scheme, Sums.NONE);
        long read = sums.readBytes() + readByOthers.applyAsLong(scheme);
        long written = sums.writtenBytes() + writtenByOthers.applyAsLong(scheme);
        set(counters, scheme, FileSystemCounter.BYTES_READ, read);
        set(counters, scheme, FileSystemCounter.BYTES_WRITTEN, written);
        set(counters, scheme, FileSystemCounter.READ_OPS, sums.reads());
        set(counters, scheme, FileSystemCounter.LARGE_READ_OPS, sums.largeReads());
        set(counters, scheme, FileSystemCounter.WRITE_OPS, sums.writes());
      }
    }

    private static void set(Counters counters, String scheme, FileSystemCounter key, long value) {
      counters.findCounter(scheme, key).setValue(value);
    }
  }
}
