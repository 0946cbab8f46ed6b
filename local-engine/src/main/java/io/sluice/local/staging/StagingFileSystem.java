package io.sluice.local.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Stock's local file system, for the few files of a submission. Without Hadoop's native library,
 * which few clients have, stock starts a process for each permission that it sets or reads, and
 * that takes longer than a small job; this asks the JDK.
 *
 * <p>Thread contract: as stock's. Failure: {@link IOException} of the file.
 */
public final class StagingFileSystem extends LocalFileSystem {
  private static final String IMPLEMENTATION = "fs.file.impl";
  private static final String DISABLE_CACHE = "fs.file.impl.disable.cache";

  /** Made by Hadoop. */
  public StagingFileSystem() {
    super(new Raw());
  }

  /** Has a job submitted through it, unless its user has chosen another for all local files. */
  public static void useIn(Configuration conf) {
    if (conf.get(IMPLEMENTATION) == null && conf.get(DISABLE_CACHE) == null) {
      conf.set(IMPLEMENTATION, StagingFileSystem.class.getName());
      conf.setBoolean(DISABLE_CACHE, true); // the process may have stock's already
    }
  }

  /** Undoes that: tasks use stock's. */
  public static void forgetIn(Configuration conf) {
    if (StagingFileSystem.class.getName().equals(conf.get(IMPLEMENTATION))) {
      conf.unset(IMPLEMENTATION);
      conf.unset(DISABLE_CACHE);
    }
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      Files.setPosixFilePermissions(
          pathToFile(path).toPath(), PosixFilePermissions.fromString(text(permission)));
    }

    private static String text(FsPermission permission) {
      return permission.getUserAction().SYMBOL
          + permission.getGroupAction().SYMBOL
          + permission.getOtherAction().SYMBOL;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus status = super.getFileStatus(path); // throws what stock throws
      try {
        PosixFileAttributes found =
            Files.readAttributes(pathToFile(path).toPath(), PosixFileAttributes.class);
        return new FileStatus(
            status.getLen(),
            status.isDirectory(),
            status.getReplication(),
            status.getBlockSize(),
            status.getModificationTime(),
            status.getAccessTime(),
            FsPermission.valueOf("-" + PosixFilePermissions.toString(found.permissions())),
            found.owner().getName(),
            found.group().getName(),
            status.getPath());
      } catch (NoSuchFileException e) {
        throw (IOException) new java.io.FileNotFoundException(e.getMessage()).initCause(e);
      }
    }
  }
}
