package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A directory, or a device-DAX device, that a pool could lie on.
 *
 * @param path its location
 * @param kind the kind of storage
 * @param mount the mount that it is on, for messages
 * @param totalBytes its size; 0 if it has no limit of its own
 * @param freeBytes how much a pool could take
 */
record PoolCandidate(Path path, Kind kind, Mounts.Mount mount, long totalBytes, long freeBytes) {
  /** The memory file system in which a pool lies by default. */
  static final Path DEFAULT = Path.of("/dev/shm");

  private static final Set<String> TYPES = Set.of("tmpfs", "hugetlbfs");
  private static final String OF_SYSTEM = "/(run|tmp|run/(lock|user/.*)|(var|etc|sys|proc)/.*)";

  /** Kinds of storage that a pool can lie on. */
  enum Kind {
    TMPFS("memory (tmpfs)", true),
    HUGETLBFS("memory in huge pages (hugetlbfs)", true),
    DEVICE_DAX("persistent memory as a device (device-DAX)", true),
    DAX_SYNC("persistent memory (fs-DAX with MAP_SYNC)", false),
    DAX("file system with DAX, but without MAP_SYNC", false),
    DISK("disk", false);

    private final String words;
    private final boolean registers;

    Kind(String words, boolean registers) {
      this.words = words;
      this.registers = registers;
    }

    String words() {
      return words;
    }

    /** Whether today's kernels pin its pages for a NIC; see docs/pools.md. */
    boolean registers() {
      return registers;
    }
  }

  /**
   * Finds the candidates of this machine: the default one, whether it exists or not, and all other
   * memory that this user may write to.
   */
  static List<Path> find(SystemFiles files, Mounts mounts) {
    Set<Path> candidates = new LinkedHashSet<>();
    candidates.add(DEFAULT);
    for (Mounts.Mount mount : mounts.all()) {
      boolean memory = TYPES.contains(mount.type()) || mount.isDax() || isOnPmem(mount);
      if (memory
          && !mount.isReadOnly()
          && !mount.point().toString().matches(OF_SYSTEM)
          && isUsable(files.path(mount.point().toString()))) {
        candidates.add(mount.point());
      }
    }
    for (String device : files.names("/dev")) {
      Path path = Path.of("/dev", device);
      if (isDaxDevice(path)) {
        candidates.add(path);
      }
    }
    return List.copyOf(candidates);
  }

  /**
   * Examines a directory or device that exists.
   *
   * @param hasMapSync whether a file in a directory can be mapped with MAP_SYNC
   * @throws IOException if it is neither, or cannot be examined
   */
  static PoolCandidate at(Path path, SystemFiles files, Mounts mounts, Predicate<Path> hasMapSync)
      throws IOException {
    Path real = path.toRealPath();
    Mounts.Mount mount =
        mounts
            .of(real)
            .orElseThrow(() -> new IOException("/proc/self/mounts has no mount for this path"));
    if (isDaxDevice(real)) {
      long bytes =
          files
              .line("/sys/bus/dax/devices/" + real.getFileName() + "/size")
              .map(Long::parseLong)
              .orElseThrow(() -> new IOException("the kernel does not show it as a DAX device"));
      return new PoolCandidate(path, Kind.DEVICE_DAX, mount, bytes, bytes);
    }
    if (!Files.isDirectory(real)) {
      throw new IOException("it is neither a directory nor a device-DAX device");
    }
    FileStore store = Files.getFileStore(real);
    Kind kind = kind(real, mount, hasMapSync);
    long freeBytes =
        kind == Kind.HUGETLBFS
            ? freeHugePages(files, store.getBlockSize()) * store.getBlockSize()
            : store.getUsableSpace();
    return new PoolCandidate(path, kind, mount, store.getTotalSpace(), freeBytes);
  }

  static boolean isOnPmem(Mounts.Mount mount) {
    return mount.device().startsWith("/dev/pmem");
  }

  private static boolean isUsable(Path directory) {
    return Files.isDirectory(directory) && Files.isWritable(directory);
  }

  private static boolean isDaxDevice(Path path) {
    return path.getFileName() != null && path.getFileName().toString().matches("dax\\d+\\.\\d+");
  }

  private static Kind kind(Path real, Mounts.Mount mount, Predicate<Path> hasMapSync) {
    return switch (mount.type()) {
      case "tmpfs", "ramfs" -> Kind.TMPFS;
      case "hugetlbfs" -> Kind.HUGETLBFS;
      default -> {
        if (hasMapSync.test(real)) {
          yield Kind.DAX_SYNC;
        }
        yield mount.isDax() ? Kind.DAX : Kind.DISK;
      }
    };
  }

  private static long freeHugePages(SystemFiles files, long pageBytes) {
    return files
        .line("/sys/kernel/mm/hugepages/hugepages-%skB/free_hugepages".formatted(pageBytes >> 10))
        .map(Long::parseLong)
        .orElse(0L);
  }

  /** The mounts of this machine, from {@code /proc/self/mounts}. Thread contract: immutable. */
  static final class Mounts {
    private final List<Mount> mounts;

    /**
     * One mount.
     *
     * @param device the device or the name of the file system
     * @param point the directory that it is mounted on
     * @param type the type of the file system
     * @param options the options, in the kernel's words
     */
    record Mount(String device, Path point, String type, List<String> options) {
      /** Whether the file system was mounted to bypass the page cache. */
      boolean isDax() {
        return options.contains("dax") || options.contains("dax=always");
      }

      boolean isReadOnly() {
        return options.contains("ro");
      }
    }

    private Mounts(List<Mount> mounts) {
      this.mounts = mounts;
    }

    static Mounts read(SystemFiles files) {
      List<Mount> mounts = new ArrayList<>();
      for (String line : files.lines("/proc/self/mounts")) {
        String[] words = line.split(" ");
        if (words.length >= 4) {
          Mount mount =
              new Mount(
                  unescape(words[0]),
                  Path.of(unescape(words[1])),
                  words[2],
                  Arrays.asList(words[3].split(",")));
          mounts.removeIf(hidden -> hidden.point().equals(mount.point()));
          mounts.add(mount);
        }
      }
      return new Mounts(List.copyOf(mounts));
    }

    /** All mounts except those that a later mount on the same directory hides. */
    List<Mount> all() {
      return mounts;
    }

    /** The mount that holds a path without symbolic links. */
    Optional<Mount> of(Path realPath) {
      return mounts.stream()
          .filter(mount -> realPath.startsWith(mount.point()))
          .reduce((a, b) -> a.point().getNameCount() > b.point().getNameCount() ? a : b);
    }

    /** Decodes blanks, tabs, line ends and backslashes, which the kernel writes in octal. */
    private static String unescape(String word) {
      return word.replace("\\040", " ")
          .replace("\\011", "\t")
          .replace("\\012", "\n")
          .replace("\\134", "\\");
    }
  }
}
