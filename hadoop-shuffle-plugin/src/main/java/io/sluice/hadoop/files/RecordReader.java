package io.sluice.hadoop.files;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Reads the records of files, and those of a directory in parallel: each takes a few round trips to
 * the name server and the data servers, however short it is.
 *
 * <p>Thread contract: safe from any thread. Ownership: closing it ends its threads. They also end
 * when nothing was read for a while. After the end, callers read by themselves. Failure: that of
 * the root's file system, after the deadlines of that one.
 */
final class RecordReader implements Closeable {
  /** Records that are read at once; a DataNode and a NameNode have more handlers. */
  static final int THREADS = 8;

  private static final long IDLE_S = 5;

  private final FileSystem base;
  private final ExecutorService threads;

  /** Reads records of {@code base} as {@code user}. */
  RecordReader(FileSystem base, UserGroupInformation user) {
    this.base = base;
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> thread(user, work),
            (work, closed) -> work.run()); // by the caller, as there are no threads any more
    pool.allowCoreThreadTimeOut(true);
    this.threads = pool;
  }

  /** The thread finds the classes that the root's file system finds. */
  private Thread thread(UserGroupInformation user, Runnable work) {
    Thread thread = DaemonThreads.create("sluice-file-records", () -> as(user, work));
    thread.setContextClassLoader(base.getConf().getClassLoader());
    return thread;
  }

  private static void as(UserGroupInformation user, Runnable work) {
    user.doAs(
        (PrivilegedAction<Void>)
            () -> {
              work.run();
              return null;
            });
  }

  /** Reads the record of one file. */
  FileRecord read(FileStatus file) throws IOException {
    try (FSDataInputStream in = base.open(file.getPath())) {
      return FileRecord.read(in, file.getLen());
    }
  }

  /**
   * Reads the records of many files, in their order.
   *
   * @return empty for a file that was deleted meanwhile
   */
  List<Optional<FileRecord>> read(List<FileStatus> files) throws IOException {
    List<Future<Optional<FileRecord>>> begun = new ArrayList<>();
    for (FileStatus file : files.subList(Math.min(1, files.size()), files.size())) {
      begun.add(threads.submit(() -> readIfThere(file)));
    }
    List<Optional<FileRecord>> records = new ArrayList<>(files.size());
    try {
      if (!files.isEmpty()) {
        records.add(readIfThere(files.get(0))); // one alone needs no thread
      }
      for (Future<Optional<FileRecord>> each : begun) {
        records.add(each.get());
      }
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while records of files were read");
    } finally {
      begun.forEach(each -> each.cancel(false));
    }
    return records;
  }

  private Optional<FileRecord> readIfThere(FileStatus file) throws IOException {
    try {
      return Optional.of(read(file));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  private static IOException failed(Throwable cause) {
    return cause instanceof IOException
        ? (IOException) cause
        : new IOException("the record of a file cannot be read: " + cause, cause);
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
