package io.sluice.spill.medium;

import io.sluice.spill.medium.DevDaxMedium.DaxDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The kinds of paths that hold a pool; the kind decides how segments are made and mapped. */
public enum PoolKind {
  /** A directory of ordinary files: tmpfs, a file system with or without DAX. */
  FILES,
  /** A directory of hugetlbfs, whose files are mapped in whole huge pages and never written. */
  HUGE_PAGES,
  /** A device-DAX device, which is only mapped, and whose space the pool divides itself. */
  DEVICE;

  private static final String HUGETLBFS = "hugetlbfs";

  /**
   * The kind of a device or of a directory, which need not exist yet.
   *
   * @throws IOException if it is neither, and no directory can be made there
   */
  public static PoolKind of(Path pool) throws IOException {
    if (Files.exists(pool) && !Files.isDirectory(pool) && !Files.isRegularFile(pool)) {
      DaxDevice.of(pool);
      return DEVICE;
    }
    Path existing = pool.toAbsolutePath();
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    return Files.getFileStore(existing).type().equals(HUGETLBFS) ? HUGE_PAGES : FILES;
  }

  /** Why all memory of such a pool belongs to one user; empty if each segment has an owner. */
  public Optional<String> oneOwnerBecause() {
    return switch (this) {
      case FILES -> Optional.empty();
      case HUGE_PAGES ->
          Optional.of(
              "a pool of huge pages does not number the files that a segment has been, so that one"
                  + " which changed hands could not be told from what it was");
      case DEVICE ->
          Optional.of("whoever is handed a descriptor of a device could map all of its segments");
    };
  }
}
