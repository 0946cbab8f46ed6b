package io.sluice.local.count;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystem.Statistics.StatisticsData;
import org.apache.hadoop.fs.Path;

/**
 * Counts the bytes that calls of a task's reader or writer move, on any thread of the user's code.
 *
 * <p>Thread contract: safe from any thread.
 */
final class IoMeter {
  private final Thread owner = Thread.currentThread();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong bytesOfOthers = new AtomicLong();
  private volatile String scheme; // null if nothing is measured

  /** Measures a task of the calling thread. */
  IoMeter() {}

  /** A call of a reader or writer. */
  interface Call<T, E extends Exception> {
    /** Makes the call. */
    T make() throws E, IOException;
  }

  /** Makes a call, and adds the change of {@code count}. */
  <T, E extends Exception> T measure(LongSupplier count, Call<T, E> call) throws E, IOException {
    long before = count.getAsLong();
    try {
      return call.make();
    } finally {
      long moved = count.getAsLong() - before;
      if (moved != 0) {
        bytes.addAndGet(moved);
        if (Thread.currentThread() != owner) {
          bytesOfOthers.addAndGet(moved);
        }
      }
    }
  }

  /** A call without a result. */
  interface Action<E extends Exception> {
    void run() throws E, IOException;
  }

  /** Makes a call without a result, and adds the change of {@code count}. */
  <E extends Exception> void run(LongSupplier count, Action<E> action) throws E, IOException {
    this.<Void, E>measure(
        count,
        () -> {
          action.run();
          return null;
        });
  }

  void begin(String schemeOfPath) {
    scheme = schemeOfPath;
  }

  boolean measures() {
    return scheme != null;
  }

  long bytes() {
    return bytes.get();
  }

  /** Bytes of threads other than the task's, in file systems of this scheme. */
  long bytesOfOthers(String of) {
    return of.equals(scheme) ? bytesOfOthers.get() : 0;
  }

  /**
   * The bytes that the calling thread has read and written so far in all file systems of one
   * scheme.
   *
   * <p>It is called twice for each record, so the counters of the task's thread are looked up once:
   * looking up thread locals each time costs 5% of a TeraSort.
   *
   * <p>Thread contract: made by the task's thread, safe from any. Failure: {@link IOException} for
   * a path without a file system.
   */
  static final class ThreadBytes {
    private final String scheme;
    private final List<FileSystem.Statistics> statistics = new ArrayList<>();
    private final Thread owner = Thread.currentThread();
    private final StatisticsData[] ofOwner;

    @SuppressWarnings("deprecation") // Hadoop's tasks use it too
    private ThreadBytes(String scheme) {
      this.scheme = scheme;
      for (FileSystem.Statistics each : FileSystem.getAllStatistics()) {
        if (each.getScheme().equals(scheme)) {
          statistics.add(each);
        }
      }
      ofOwner = ofThread();
    }

    /** Counts in file systems with the scheme of a path. */
    static ThreadBytes of(Path path, Configuration conf) throws IOException {
      return new ThreadBytes(path.getFileSystem(conf).makeQualified(path).toUri().getScheme());
    }

    /** The counters of the calling thread. */
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
}
