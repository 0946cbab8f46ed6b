package io.sluice.local.job;

import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * The settings of the last jobs that have ended, as they were submitted: whoever asks Hadoop's
 * client for a job has it read them, and may do so while the job ends, or long after.
 *
 * <p>Thread contract: safe from any thread; nothing is removed under a lock. Ownership: what is
 * kept goes with the directory of its process. Failure: {@link IOException} if something cannot be
 * removed.
 */
public final class KeptJobFiles {
  static final String SETTINGS = "job.xml";

  private final int mostJobs;
  private final Deque<Path> kept = new ArrayDeque<>();

  /** Of so many jobs at most. */
  public KeptJobFiles(int mostJobs) {
    this.mostJobs = mostJobs;
  }

  /** Removes all that was submitted with a job but its settings. */
  static void removeOthers(FileSystem files, org.apache.hadoop.fs.Path submitDirectory)
      throws IOException {
    if (files.exists(submitDirectory)) { // else somebody has removed it
      List<Closeable> removals =
          Stream.of(files.listStatus(submitDirectory))
              .map(FileStatus::getPath)
              .filter(path -> !path.getName().equals(SETTINGS))
              .map(path -> (Closeable) () -> files.delete(path, true))
              .toList();
      Closing.all(removals);
    }
  }

  /** A job has ended, and nobody waits for it: the settings of the oldest one go. */
  void ended(org.apache.hadoop.fs.Path submitDirectory) throws IOException {
    Path oldest;
    synchronized (this) {
      kept.add(Path.of(submitDirectory.toUri().getPath()));
      oldest = kept.size() > mostJobs ? kept.remove() : null;
    }
    if (oldest != null) {
      remove(oldest);
    }
  }

  private static void remove(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.list(directory)) { // and their checksums
        for (Path file : files.toList()) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(directory);
    }
  }
}
