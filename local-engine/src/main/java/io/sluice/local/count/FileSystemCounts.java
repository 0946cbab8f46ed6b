package io.sluice.local.count;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;

/**
 * Counts the bytes and operations of one task's thread in file systems. Hadoop's task code counts
 * all threads of the process, which is right only if a task has a process of its own.
 *
 * <p>Thread contract: made by the task's thread, which updates the counts; another thread sees the
 * last update.
 */
final class FileSystemCounts {
  private final Thread thread = Thread.currentThread();
  private final Map<String, Sums> before = sums();
  private volatile Map<String, Sums> last = Map.of();

  /** The counts of one scheme. */
  private record Sums(long readBytes, long writtenBytes, long reads, long largeReads, long writes) {
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
