package io.sluice.local.count;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What the calling thread has read and written so far in all file systems of one scheme.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} of a path without a file
 * system.
 */
final class ThreadBytes {
  private final String scheme;
  private final List<FileSystem.Statistics> statistics = new ArrayList<>();

  private ThreadBytes(String scheme) {
    this.scheme = scheme;
  }

  /** In the file systems that a path's own is one of. */
  @SuppressWarnings("deprecation") // what Hadoop's tasks read, too
  static ThreadBytes of(Path path, Configuration conf) throws IOException {
    ThreadBytes of =
        new ThreadBytes(path.getFileSystem(conf).makeQualified(path).toUri().getScheme());
    for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
      if (each.getScheme().equals(of.scheme)) {
        of.statistics.add(each);
      }
    }
    return of;
  }

  String scheme() {
    return scheme;
  }

  long read() {
    long sum = 0;
    for (FileSystem.Statistics each : statistics) {
      sum += each.getThreadStatistics().getBytesRead();
    }
    return sum;
  }

  long written() {
    long sum = 0;
    for (FileSystem.Statistics each : statistics) {
      sum += each.getThreadStatistics().getBytesWritten();
    }
    return sum;
  }
}
