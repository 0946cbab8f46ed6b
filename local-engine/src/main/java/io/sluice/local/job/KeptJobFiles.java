package io.sluice.local.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The settings of the last jobs that have ended, as they were submitted: whoever asks Hadoop's
 * client for a job has it read them, and may do so while the job ends, or long after.
 *
 * <p>Thread contract: safe from any thread. Ownership: what is kept goes with the directory of its
 * process. Failure: {@link IOException} if something cannot be removed.
 */
public final class KeptJobFiles {
  static final String SETTINGS = "job.xml";

  private final int mostJobs;
  private final Deque<Submission> kept = new ArrayDeque<>();

  private record Submission(FileSystem files, Path directory) {}

  /** Of so many jobs at most. */
  public KeptJobFiles(int mostJobs) {
    this.mostJobs = mostJobs;
  }

  /** Removes all but the settings of a job that ends, and those of the oldest one. */
  synchronized void keepOf(FileSystem files, Path submitDirectory) throws IOException {
    if (!files.exists(submitDirectory)) {
      return; // somebody else has removed it
    }
    kept.add(new Submission(files, submitDirectory));
    Submission oldest = kept.size() > mostJobs ? kept.remove() : null;
    for (FileStatus each : files.listStatus(submitDirectory)) {
      if (!each.getPath().getName().equals(SETTINGS)) {
        files.delete(each.getPath(), true);
      }
    }
    if (oldest != null) {
      oldest.files.delete(oldest.directory, true);
    }
  }
}
