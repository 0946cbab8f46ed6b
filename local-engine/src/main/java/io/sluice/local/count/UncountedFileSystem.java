package io.sluice.local.count;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What Hadoop's task code gets when it asks for the file system of a path to find the counts of it:
 * of this scheme there are none. It is asked for nothing else.
 *
 * <p>Thread contract: safe from any thread. Ownership: none, it has nothing open.
 */
final class UncountedFileSystem extends FilterFileSystem {
  private static final URI ROOT = URI.create("sluice-uncounted:/");

  /** Made by Hadoop. */
  UncountedFileSystem() {}

  @Override
  public void initialize(URI name, Configuration conf) {
    // Nothing is counted, and so not registered.
  }

  @Override
  public Path makeQualified(Path path) {
    return new Path(ROOT);
  }
}
