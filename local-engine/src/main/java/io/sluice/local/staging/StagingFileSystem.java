package io.sluice.local.staging;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.Principal;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Stock's local file system, for the few files of a submission. Without Hadoop's native library,
 * which few clients have, stock starts a process for each permission that it sets or reads, and
 * that takes longer than a small job; this asks the JDK. It makes directories and writes the job's
 * settings and jar; the splits stock writes with its own.
 *
 * <p>Thread contract: as stock's. Failure: {@link IOException} of the file.
 */
public final class StagingFileSystem extends LocalFileSystem {
  private static final String IMPLEMENTATION = "fs.file.impl";
  private static final String DISABLE_CACHE = "fs.file.impl.disable.cache";
  private static final String MODE = "unix:mode";
  private static final String ATTRIBUTES = "unix:mode,owner,group";
  private static final int PERMISSIONS = 01777; // what Hadoop's FsPermission knows

  /** Made by Hadoop. */
  public StagingFileSystem() {
    super(new Raw());
  }

  /**
   * Has whoever next makes a local file system with these settings make this, unless the user has
   * chosen another. They are as before when it is made.
   */
  public static void useNextIn(Configuration conf) {
    if (conf.get(IMPLEMENTATION) == null && conf.get(DISABLE_CACHE) == null) {
      conf.set(IMPLEMENTATION, StagingFileSystem.class.getName());
      conf.setBoolean(DISABLE_CACHE, true); // the process may have stock's already
    }
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    conf.unset(IMPLEMENTATION);
    conf.unset(DISABLE_CACHE);
    super.initialize(name, conf);
  }

  private static final class Raw extends RawLocalFileSystem {
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
        throw (IOException) new java.io.FileNotFoundException(e.getMessage()).initCause(e);
      }
    }
  }
}
