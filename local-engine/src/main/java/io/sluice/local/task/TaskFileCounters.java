package io.sluice.local.task;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;

/**
 * What one task reads and writes in file systems: what its thread does. Hadoop's task code takes
 * what all threads of the process do, which is right where a task has a process of its own. What a
 * task has other threads do is not in it.
 *
 * <p>Thread contract: made by the task's thread, and looks while that calls; another thread sees
 * what was found last.
 */
public final class TaskFileCounters {
  private final Thread thread = Thread.currentThread();
  private final Map<String, Sums> before = sums();
  private volatile Map<String, Sums> last = Map.of();

  /** Of one scheme. */
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

  /** Of nothing yet. */
  public TaskFileCounters() {}

  @SuppressWarnings("deprecation") // what Task reads, too
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

  /** Puts them in the place of those of the process. */
  @SuppressWarnings("deprecation")
  void putInto(Counters counters) {
    if (Thread.currentThread() == thread) {
      Map<String, Sums> now = sums();
      now.replaceAll((scheme, sums) -> sums.plus(before.getOrDefault(scheme, Sums.NONE), -1));
      last = now;
    }
    Map<String, Sums> found = last;
    for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
      Sums sums = found.getOrDefault(each.getScheme(), Sums.NONE);
      set(counters, each.getScheme(), FileSystemCounter.BYTES_READ, sums.readBytes());
      set(counters, each.getScheme(), FileSystemCounter.BYTES_WRITTEN, sums.writtenBytes());
      set(counters, each.getScheme(), FileSystemCounter.READ_OPS, sums.reads());
      set(counters, each.getScheme(), FileSystemCounter.LARGE_READ_OPS, sums.largeReads());
      set(counters, each.getScheme(), FileSystemCounter.WRITE_OPS, sums.writes());
    }
  }

  private static void set(Counters counters, String scheme, FileSystemCounter key, long value) {
    counters.findCounter(scheme, key).setValue(value);
  }
}
