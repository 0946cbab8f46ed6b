package io.sluice.tools.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The mounts of this machine, from {@code /proc/self/mounts}. Thread contract: immutable. */
final class Mounts {
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
