package io.sluice.spill.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much room the file system of a directory has left. The file system is found in the list of
 * all mounts, which is long on a node with containers. So the list is read once, and again when
 * another file system was mounted there.
 *
 * <p>Thread contract: one thread at a time, that of the directory. Failure: {@link IOException} of
 * the file system.
 */
final class DirectorySpace {
  private final Path directory;
  private final Mounts mounts;
  private FileStore store; // null: not found yet
  private long device; // on which that is

  /** The list of what is mounted. */
  interface Mounts {
    FileStore find(Path directory) throws IOException;
  }

  /**
   * A moment of it.
   *
   * @param fileSystem which it is
   * @param bytes free for this process
   * @param sizeBytes its whole size
   */
  record Free(String fileSystem, long bytes, long sizeBytes) {}

  /** Of that directory. */
  DirectorySpace(Path directory) {
    this(directory, Files::getFileStore);
  }

  /** The same with another list of mounts. */
  DirectorySpace(Path directory, Mounts mounts) {
    this.directory = directory;
    this.mounts = mounts;
  }

  /** How much it has left now. */
  Free free() throws IOException {
    long now = (Long) Files.getAttribute(directory, "unix:dev");
    if (store == null || now != device) {
      store = mounts.find(directory);
      device = now;
    }
    return new Free(
        fileSystem(store.type(), store.name(), device),
        store.getUsableSpace(),
        store.getTotalSpace());
  }

  /**
   * Which file system that is, so that what has room in common has the same name. Volumes of a pool
   * have device numbers of their own, but no room. They are mounted from the device of their pool,
   * or by a name that begins with the pool's.
   */
  static String fileSystem(String type, String source, long device) {
    return switch (type) {
      case "btrfs" -> type + ' ' + source;
      case "zfs" -> type + ' ' + source.split("/", 2)[0];
      default -> Long.toString(device);
    };
  }
}
