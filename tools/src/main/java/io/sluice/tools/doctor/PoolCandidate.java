package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * A directory, or a device-DAX device, that a pool could lie on.
 *
 * @param path where it is
 * @param kind what it is
 * @param mount what it is on, for messages
 * @param totalBytes how large it is; 0 if it has no limit of its own
 * @param freeBytes how much a pool could take
 */
record PoolCandidate(
    Path path, PoolCandidateKind kind, Mounts.Mount mount, long totalBytes, long freeBytes) {

  /**
   * Looks at a directory or device that exists.
   *
   * @param hasMapSync whether a file in a directory can be mapped with MAP_SYNC
   * @throws IOException if it is neither, or cannot be looked at
   */
  static PoolCandidate at(Path path, SystemFiles files, Mounts mounts, Predicate<Path> hasMapSync)
      throws IOException {
    Path real = path.toRealPath();
    Mounts.Mount mount =
        mounts.of(real).orElseThrow(() -> new IOException("it is on no mount the kernel lists"));
    if (isDaxDevice(real)) {
      long bytes =
          files
              .line("/sys/bus/dax/devices/" + real.getFileName() + "/size")
              .map(Long::parseLong)
              .orElseThrow(() -> new IOException("the kernel does not show it as a DAX device"));
      return new PoolCandidate(path, PoolCandidateKind.DEVICE_DAX, mount, bytes, bytes);
    }
    if (!Files.isDirectory(real)) {
      throw new IOException("it is neither a directory nor a device-DAX device");
    }
    FileStore store = Files.getFileStore(real);
    PoolCandidateKind kind = kind(real, mount, hasMapSync);
    long freeBytes =
        kind == PoolCandidateKind.HUGETLBFS
            ? freeHugePages(files, store.getBlockSize()) * store.getBlockSize()
            : store.getUsableSpace();
    return new PoolCandidate(path, kind, mount, store.getTotalSpace(), freeBytes);
  }

  static boolean isDaxDevice(Path path) {
    return path.getFileName() != null && path.getFileName().toString().matches("dax\\d+\\.\\d+");
  }

  private static PoolCandidateKind kind(Path real, Mounts.Mount mount, Predicate<Path> hasMapSync) {
    return switch (mount.type()) {
      case "tmpfs", "ramfs" -> PoolCandidateKind.TMPFS;
      case "hugetlbfs" -> PoolCandidateKind.HUGETLBFS;
      default -> {
        if (hasMapSync.test(real)) {
          yield PoolCandidateKind.DAX_SYNC;
        }
        yield mount.isDax() ? PoolCandidateKind.DAX : PoolCandidateKind.DISK;
      }
    };
  }

  private static long freeHugePages(SystemFiles files, long pageBytes) {
    return files
        .line("/sys/kernel/mm/hugepages/hugepages-%skB/free_hugepages".formatted(pageBytes >> 10))
        .map(Long::parseLong)
        .orElse(0L);
  }
}
