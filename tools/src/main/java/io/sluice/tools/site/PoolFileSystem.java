package io.sluice.tools.site;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file system of this host that a pool lies in, or will.
 *
 * @param path what there is of the way to it
 * @param type of the file system
 * @param totalBytes its size; 0 if it says none, as devices and hugetlbfs do
 */
record PoolFileSystem(Path path, String type, long totalBytes) {
  private static final String SCHEME = "file:";

  /** Of a directory, named by a path or by a URI of the local file system. */
  static PoolFileSystem of(String directory) throws IOException {
    String name = directory.startsWith(SCHEME) ? directory.substring(SCHEME.length()) : directory;
    Path path = Path.of(name.replaceFirst("^//+", "/")).toAbsolutePath();
    while (!Files.exists(path)) {
      path = path.getParent();
    }
    FileStore store = Files.getFileStore(path);
    return new PoolFileSystem(
        path, store.type(), Files.isDirectory(path) ? store.getTotalSpace() : 0);
  }

  /** Whether what lies there takes the machine's memory, and no more than the mount allows. */
  boolean isTmpfs() {
    return type.equals("tmpfs");
  }

  /** The same, with or without a bound. */
  boolean isMemory() {
    return isTmpfs() || type.equals("ramfs");
  }
}
