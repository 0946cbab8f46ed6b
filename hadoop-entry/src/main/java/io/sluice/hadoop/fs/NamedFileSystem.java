package io.sluice.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Base class of the file systems of {@code sluice:}; their entry is {@link SluiceFileSystem}. It
 * has their name, a working directory, and the statistics that a caller passes in.
 *
 * <p>Thread contract, ownership and failure: those of {@link FileSystem}.
 */
public abstract class NamedFileSystem extends FileSystem {
  private final Supplier<Statistics> counts;
  private URI uri;
  private String user;
  private Path workingDirectory;

  /** Creates one that counts in the statistics of its caller, which may change. */
  protected NamedFileSystem(Supplier<Statistics> counts) {
    this.counts = counts;
  }

  /** Starts to initialize the file system of an authority, which may be empty. */
  protected final void begin(String authority, Configuration conf) throws IOException {
    // FileSystem's own method would add statistics for this class, and tasks sum up all statistics
    // of the scheme for each record that they read or write.
    setConf(conf);
    uri = URI.create(SluiceFileSystem.SCHEME + "://" + authority + "/");
    user = UserGroupInformation.getCurrentUser().getShortUserName();
    workingDirectory = getHomeDirectory();
  }

  @Override
  public final String getScheme() {
    return SluiceFileSystem.SCHEME;
  }

  @Override
  public final URI getUri() {
    return uri;
  }

  /** None: tokens belong to the file system below. */
  @Override
  public final String getCanonicalServiceName() {
    return null;
  }

  @Override
  public final Path getHomeDirectory() {
    return makeQualified(new Path("/user/" + user));
  }

  @Override
  public final Path getWorkingDirectory() {
    return workingDirectory;
  }

  @Override
  public final void setWorkingDirectory(Path directory) {
    workingDirectory = fixRelativePart(directory);
  }

  /** The user of the file system. */
  protected final String user() {
    return user;
  }

  /** The name of a path in this file system, from its root. */
  protected final String nameOf(Path path) {
    checkPath(path);
    return fixRelativePart(path).toUri().getPath();
  }

  /** The statistics to count in. */
  protected final Statistics counts() {
    return counts.get();
  }

  /** Counts an operation that reads. */
  protected final void reads() {
    counts().incrementReadOps(1);
  }

  /** Counts an operation that writes. */
  protected final void writes() {
    counts().incrementWriteOps(1);
  }
}
