package io.sluice.hadoop.local;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system under another scheme, for the files of a submission to the in-process
 * engine. Few clients have Hadoop's native library. Without it, the stock local file system starts
 * a process for each permission that it sets or reads, which takes longer than a small job. This
 * class uses the JDK. With a scheme of its own it does not replace stock's {@code file:} for other
 * programs.
 *
 * <p>Hadoop creates an object of every file system's class to ask for its scheme, so this is Java 8
 * bytecode. Thread contract: that of {@link LocalFileSystem}. Ownership: Hadoop's cache of file
 * systems. Failure: {@link IOException} of the file.
 */
public final class StagingFileSystem extends LocalFileSystem {
  /** The scheme of its paths, which are otherwise paths of {@code file:}. */
  public static final String SCHEME = "sluice-staging";

  private static final URI FILE = URI.create("file:///");
  private static final String MODE = "unix:mode";
  private static final String ATTRIBUTES = "unix:mode,owner,group";
  private static final int PERMISSIONS = 01777; // the bits that Hadoop's FsPermission has

  /** The action to run if a submission is cancelled, by the name of its directory. */
  private static final Map<String, Runnable> IF_GIVEN_UP = new ConcurrentHashMap<>();

  /** Called by Hadoop. */
  public StagingFileSystem() {
    super(new Raw());
  }

  /**
   * Records the start of a submission. Hadoop does not tell an engine that it cancels a submission,
   * but deletes its directory.
   *
   * @param directory the unique name of its directory
   * @param action runs once, before that directory is deleted
   */
  public static void begun(String directory, Runnable action) {
    IF_GIVEN_UP.put(directory, action);
  }

  /** Records that a submission succeeded. */
  public static void submitted(String directory) {
    IF_GIVEN_UP.remove(directory);
  }

  @Override
  public boolean delete(Path path, boolean isRecursive) throws IOException {
    Runnable action = isOurs(path) ? IF_GIVEN_UP.remove(path.getName()) : null;
    if (action != null) {
      action.run();
    }
    return super.delete(path, isRecursive);
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  /** Counts under the scheme of {@code file:}, because tasks have a counter for each scheme. */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    Configuration own =
        new Configuration(
            conf); // the file system outlives the job and must not keep its class loader
    own.setClassLoader(StagingFileSystem.class.getClassLoader());
    super.initialize(FILE, own);
  }

  /** Qualifies a path as one of {@code file:}, because programs read it from the job. */
  @Override
  public Path makeQualified(Path path) {
    return super.makeQualified(isOurs(path) ? new Path(path.toUri().getPath()) : path);
  }

  private static boolean isOurs(Path path) {
    return SCHEME.equals(path.toUri().getScheme());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    protected void checkPath(Path path) {
      if (!isOurs(path)) {
        super.checkPath(path);
      }
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      Files.setAttribute(pathToFile(path).toPath(), MODE, (int) permission.toShort());
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus status = super.getFileStatus(path); // throws the same exceptions as stock
      try {
        Map<String, Object> found = Files.readAttributes(pathToFile(path).toPath(), ATTRIBUTES);
        return new FileStatus(
            status.getLen(),
            status.isDirectory(),
            status.getReplication(),
            status.getBlockSize(),
            status.getModificationTime(),
            status.getAccessTime(),
            new FsPermission((short) ((int) found.get("mode") & PERMISSIONS)),
            ((Principal) found.get("owner")).getName(),
            ((Principal) found.get("group")).getName(),
            status.getPath());
      } catch (NoSuchFileException e) {
        throw (IOException) new FileNotFoundException(e.getMessage()).initCause(e);
      }
    }
  }
}
