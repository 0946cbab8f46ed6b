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
 * The settings of the last jobs that have ended, as they were submitted: whoever asks Hadoop's
 * client for a job has it read them, and may do so while the job ends, or long after.
 *
 * <p>Thread contract: safe from any thread; nothing is removed under a lock. Ownership: what is
 * kept goes with the directory of its process. Failure: {@link IOException} if something cannot be
 * removed.
 */
public final class RecentJobFiles {
  private final int mostJobs;
  private final Deque<File> kept = new ArrayDeque<>();

  /** Of so many jobs at most. */
  public RecentJobFiles(int mostJobs) {
    this.mostJobs = mostJobs;
  }

  /** Removes all that was submitted with a job but its settings. */
  static void removeOthers(FileSystem files, Path submitDirectory) throws IOException {
    if (files.exists(submitDirectory)) { // else somebody has removed it
      List<Closeable> removals =
          Stream.of(files.listStatus(submitDirectory))
              .map(FileStatus::getPath)
              .filter(path -> !path.getName().equals(MRJobConfig.JOB_CONF_FILE))
              .map(path -> (Closeable) () -> files.delete(path, true))
              .toList();
      Closer.all(removals);
    }
  }

  /** A job has ended, and nobody waits for it: the settings of the oldest one go. */
  void ended(Path submitDirectory) throws IOException {
    File oldest;
    synchronized (this) {
      kept.add(new File(submitDirectory.toUri().getPath()));
      oldest = kept.size() > mostJobs ? kept.remove() : null;
    }
    if (oldest != null && !FileUtil.fullyDelete(oldest)) {
      throw new IOException("something is left in " + oldest);
    }
  }
}
