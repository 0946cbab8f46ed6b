package io.sluice.local.count;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystem.Statistics.StatisticsData;
import org.apache.hadoop.fs.Path;

/**
 * What the calling thread has read and written so far in all file systems of one scheme.
 *
 * <p>Asked twice for each record, so what the task's own thread counts in is looked up once: the
 * maps of thread locals behind it cost a twentieth of a TeraSort.
 *
 * <p>Thread contract: made by the task's thread, safe from any. Failure: {@link IOException} of a
 * path without a file system.
 */
final class ThreadBytes {
  private final String scheme;
  private final List<FileSystem.Statistics> statistics = new ArrayList<>();
  private final Thread owner = Thread.currentThread();
  private final StatisticsData[] ofOwner;

  @SuppressWarnings("deprecation") // what Hadoop's tasks read, too
  private ThreadBytes(String scheme) {
    this.scheme = scheme;
    for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
      if (each.getScheme().equals(scheme)) {
        statistics.add(each);
      }
    }
    ofOwner = ofThread();
  }

  /** In the file systems that a path's own is one of. */
  static ThreadBytes of(Path path, Configuration conf) throws IOException {
    return new ThreadBytes(path.getFileSystem(conf).makeQualified(path).toUri().getScheme());
  }

  /** What the calling thread counts in. */
  private StatisticsData[] ofThread() {
    return statistics.stream()
        .map(FileSystem.Statistics::getThreadStatistics)
        .toArray(StatisticsData[]::new);
  }

  private StatisticsData[] ofCaller() {
    return Thread.currentThread() == owner ? ofOwner : ofThread();
  }

  String scheme() {
    return scheme;
  }

  long read() {
    long sum = 0;
    for (StatisticsData each : ofCaller()) {
      sum += each.getBytesRead();
    }
    return sum;
  }

  long written() {
    long sum = 0;
    for (StatisticsData each : ofCaller()) {
      sum += each.getBytesWritten();
    }
    return sum;
  }
}
