package io.sluice.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * What the file systems of {@code sluice:} have in common, whose entry {@link SluiceFileSystem} is:
 * their name, a working directory, and that they count in what is given to them.
 *
 * <p>Thread contract, ownership and failure: those of {@link FileSystem}.
 */
public abstract class NamedFileSystem extends FileSystem {
  private final Supplier<Statistics> counts;
  private URI uri;
  private String user;
  private Path workingDirectory;

  /** Counts in what is given then: that of whoever hands on to this. */
  protected NamedFileSystem(Supplier<Statistics> counts) {
    this.counts = counts;
  }

  /** Begins to initialize it, as the file system of an authority; of none if that is empty. */
  protected final void begin(String authority, Configuration conf) throws IOException {
    // Hadoop's own would add statistics for this class, and tasks sum up all of the scheme for each
    // record that they read or write.
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

  /** None: whoever needs a token needs that of a file system below. */
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

  /** Whose it is. */
  protected final String user() {
    return user;
  }

  /** A path of this file system from its root on. */
  protected final String nameOf(Path path) {
    checkPath(path);
    return fixRelativePart(path).toUri().getPath();
  }

  /** Where to count. */
  protected final Statistics counts() {
    return counts.get();
  }

  /** Counts an operation. */
  protected final void reads() {
    counts().incrementReadOps(1);
  }

  /** Counts one that changes something. */
  protected final void writes() {
    counts().incrementWriteOps(1);
  }
}
