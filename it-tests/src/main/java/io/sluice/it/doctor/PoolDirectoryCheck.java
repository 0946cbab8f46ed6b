package io.sluice.it.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What kind of memory a pool in a directory would be on, and how much is free.
 *
 * @param directory an existing directory on the mount of the pool
 */
record PoolDirectoryCheck(Path directory) implements Check {
  private static final long DEFAULT_POOL_BYTES = 1L << 30;

  @Override
  public Finding look() {
    String subject = "pool directory " + directory;
    if (!Files.isWritable(directory)) {
      return Finding.broken(subject, "is missing or not writable; set sluice.pool.dir");
    }
    try {
      FileStore store = Files.getFileStore(directory);
      long freeBytes = store.getUsableSpace();
      String text = "%s, %.1f GiB free".formatted(kind(store), freeBytes / (double) (1 << 30));
      if (freeBytes < DEFAULT_POOL_BYTES) {
        return Finding.limited(
            subject, text + "; the default pool takes 1 GiB: set sluice.pool.capacity-mb");
      }
      return isMemory(store)
          ? Finding.ok(subject, text)
          : Finding.limited(subject, text + "; map output would be written to disk");
    } catch (IOException e) {
      return Finding.broken(subject, "cannot be looked at: " + e.getMessage());
    }
  }

  private static boolean isMemory(FileStore store) throws IOException {
    return store.type().matches("tmpfs|ramfs|hugetlbfs") || isDax(store);
  }

  private static String kind(FileStore store) throws IOException {
    return switch (store.type()) {
      case "tmpfs", "ramfs" -> "memory (%s)".formatted(store.type());
      case "hugetlbfs" -> "memory in huge pages";
      default ->
          isDax(store)
              ? "persistent memory (%s with DAX)".formatted(store.type())
              : "disk (%s)".formatted(store.type());
    };
  }

  private static boolean isDax(FileStore store) throws IOException {
    String device = store.name();
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .map(line -> line.split(" "))
        .anyMatch(
            mount -> mount[0].equals(device) && mount[3].matches("(.*,)?dax(=always)?(,.*)?"));
  }
}
