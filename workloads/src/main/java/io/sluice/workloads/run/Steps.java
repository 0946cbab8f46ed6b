package io.sluice.workloads.run;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The directories of a chain of jobs, beside the directory of its result. A directory is deleted
 * when the step after the next begins, because no job reads it any longer.
 *
 * <p>Thread contract: one thread. Ownership: closing it deletes the directories that are left.
 */
public final class Steps implements AutoCloseable {
  private final FileSystem files;
  private final Path directory;
  private int count;

  /** Makes directories beside the result's, {@code output}. */
  public Steps(Configuration conf, Path output) throws IOException {
    this.files = output.getFileSystem(conf);
    Path qualified = files.makeQualified(output);
    this.directory = new Path(qualified.getParent(), qualified.getName() + ".steps");
  }

  /** A directory that does not exist yet. */
  public Path next() throws IOException {
    delete(count - 2);
    return step(count++);
  }

  private Path step(int number) {
    return new Path(directory, Integer.toString(number));
  }

  private void delete(int number) throws IOException {
    if (number >= 0) {
      files.delete(step(number), true);
    }
  }

  @Override
  public void close() throws IOException {
    files.delete(directory, true);
  }
}
