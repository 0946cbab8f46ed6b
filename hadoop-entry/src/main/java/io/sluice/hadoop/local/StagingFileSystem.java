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
 * The local file system by another scheme, for the files of a submission to the in-process engine.
 * Without Hadoop's native library, which few clients have, stock's starts a process for each
 * permission that it sets or reads, and that takes longer than a small job; this asks the JDK. The
 * scheme keeps it apart from {@code file:}, which is stock's for all programs.
 *
 * <p>Hadoop makes one of every file system's class to ask for its scheme, so this is Java 8
 * bytecode. Thread contract: as stock's. Ownership: Hadoop's cache of file systems. Failure: {@link
 * IOException} of the file.
 */
public final class StagingFileSystem extends LocalFileSystem {
  /** Of its paths, which are those of {@code file:} otherwise. */
  public static final String SCHEME = "sluice-staging";

  private static final URI FILE = URI.create("file:///");
  private static final String MODE = "unix:mode";
  private static final String ATTRIBUTES = "unix:mode,owner,group";
  private static final int PERMISSIONS = 01777; // what Hadoop's FsPermission knows

  /** What is to be done if a submission is given up, by the name of its directory. */
  private static final Map<String, Runnable> IF_GIVEN_UP = new ConcurrentHashMap<>();

  /** Made by Hadoop. */
  public StagingFileSystem() {
    super(new Raw());
  }

  /**
   * A submission begins. Hadoop tells no engine that it gives one up, but deletes its directory.
   *
   * @param directory its name, which no other has
   * @param action done once, before that directory is deleted
   */
  public static void begun(String directory, Runnable action) {
    IF_GIVEN_UP.put(directory, action);
  }

  /** It has succeeded. */
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

  /** It counts as stock's does: counters of tasks have a line for each scheme. */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    Configuration own = new Configuration(conf); // it outlives the job, whose classes go
    own.setClassLoader(StagingFileSystem.class.getClassLoader());
    super.initialize(FILE, own);
  }

  /** What the job keeps of a path is for programs to read. */
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
      FileStatus status = super.getFileStatus(path); // throws what stock throws
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
