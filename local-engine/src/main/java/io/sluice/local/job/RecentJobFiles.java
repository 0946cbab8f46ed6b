package io.sluice.local.job;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The settings files of the last ended jobs. Hadoop's client reads the file of a job that a program
 * asks for, also while the job ends and afterwards.
 *
 * <p>Thread contract: safe from any thread; nothing is removed under a lock. Ownership: the files
 * end with the directory of the process. Failure: {@link IOException} if a file cannot be removed.
 */
public final class RecentJobFiles {
  private final int mostJobs;
  private final Deque<File> kept = new ArrayDeque<>();

  /** Keeps the files of so many jobs. */
  public RecentJobFiles(int mostJobs) {
    this.mostJobs = mostJobs;
  }

  /** Removes all submitted files of a job except its settings. */
  static void removeOthers(FileSystem files, Path submitDirectory) throws IOException {
    if (files.exists(submitDirectory)) { // it may have been removed by another program
      List<Closeable> removals =
          Stream.of(files.listStatus(submitDirectory))
              .map(FileStatus::getPath)
              .filter(path -> !path.getName().equals(MRJobConfig.JOB_CONF_FILE))
              .map(path -> (Closeable) () -> files.delete(path, true))
              .toList();
      Closer.all(removals);
    }
  }

  /** Keeps the settings of an ended job, and removes those of the oldest. */
  void ended(Path submitDirectory) throws IOException {
    File oldest;
    synchronized (this) {
      kept.add(new File(submitDirectory.toUri().getPath()));
      oldest = kept.size() > mostJobs ? kept.remove() : null;
    }
    if (oldest != null && !FileUtil.fullyDelete(oldest)) {
      throw new IOException("files could not be removed in " + oldest);
    }
  }
}
