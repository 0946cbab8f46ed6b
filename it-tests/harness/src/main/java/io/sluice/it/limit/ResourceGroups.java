package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Makes groups with what the kernel has, and removes those whose owner was killed: where they lie
 * is written down before they are made.
 */
public final class ResourceGroups {
  private static final String RECORD = "groups";

  private ResourceGroups() {}

  /** Why none can be made here; empty if one can. */
  public static Optional<String> unavailableBecause() {
    return unavailableBecause(KernelFiles.HERE);
  }

  static Optional<String> unavailableBecause(KernelFiles kernel) {
    try {
      OwnGroups own = OwnGroups.find(kernel);
      List<Path> places = places(kernel, own, "none").orElse(List.of());
      if (places.isEmpty()) {
        return Optional.of(
            "no cgroup v2 with memory and io, nor v1 with memory, blkio and a v2 tree beside it");
      }
      return places.stream()
          .map(Path::getParent)
          .filter(parent -> !kernel.isWritable(parent))
          .findFirst()
          .map(parent -> parent + " is not this user's to write: run as root, or delegate it");
    } catch (IOException e) {
      return Optional.of("the control groups cannot be read: " + e);
    }
  }

  /** Why no more than one can be made by this process; empty if more can. */
  public static Optional<String> severalUnavailableBecause() {
    return unavailableBecause()
        .or(
            () -> {
              try {
                return CgroupV2.places(KernelFiles.HERE, OwnGroups.find(KernelFiles.HERE), "none")
                    .map(
                        places ->
                            "with cgroup v2 a process can make one group, and this needs more");
              } catch (IOException e) {
                return Optional.of("the control groups cannot be read: " + e);
              }
            });
  }

  /**
   * Makes one.
   *
   * @param directory where its places are noted, for {@link #removeLeft}; of one group
   */
  public static ResourceGroup make(Path directory) {
    return make(
        KernelFiles.HERE,
        directory,
        "sluice-%s-%s".formatted(ProcessHandle.current().pid(), directory.getFileName()));
  }

  static ResourceGroup make(KernelFiles kernel, Path directory, String name) {
    unavailableBecause(kernel)
        .ifPresent(
            reason -> {
              throw new LimitException("cannot bound processes here: " + reason);
            });
    try {
      OwnGroups own = OwnGroups.find(kernel);
      List<Path> places = places(kernel, own, name).orElseThrow();
      Files.writeString(
          directory.resolve(RECORD),
          places.stream().map(Path::toString).collect(Collectors.joining("\n")));
      return CgroupV2.places(kernel, own, name).isPresent()
          ? CgroupV2.make(kernel, places)
          : CgroupV1.make(kernel, own, places);
    } catch (IOException e) {
      throw new LimitException("cannot make a group " + name, e);
    }
  }

  /** Ends and removes the group that was noted there, if any is left of it. */
  static void removeLeft(Path directory) {
    Path record = directory.resolve(RECORD);
    if (!Files.exists(record)) {
      return;
    }
    try {
      List<Path> places = Files.readAllLines(record).stream().map(Path::of).toList();
      GroupFiles files = new GroupFiles(KernelFiles.HERE);
      if (places.get(0).getParent().equals(places.get(1).getParent())) {
        CgroupV2.removeLeft(files, places);
      } else {
        files.remove(places);
      }
    } catch (IOException e) {
      throw new LimitException("cannot read " + record, e);
    }
  }

  private static Optional<List<Path>> places(KernelFiles kernel, OwnGroups own, String name)
      throws IOException {
    Optional<List<Path>> v2 = CgroupV2.places(kernel, own, name);
    return v2.isPresent() ? v2 : CgroupV1.places(kernel, own, name);
  }

  /**
   * The control groups that this process is in, as directories.
   *
   * @param roots where each v1 controller's tree begins
   * @param groups this process's group in each of these trees
   * @param unified its group in the v2 tree, if there is one
   */
  record OwnGroups(Map<String, Path> roots, Map<String, Path> groups, Optional<Path> unified) {
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Path MEMBERSHIP = Path.of("/proc/self/cgroup");
    private static final String ANY = "";

    /** Looks them up. */
    static OwnGroups find(KernelFiles files) throws IOException {
      Map<String, String> places = new HashMap<>(); // by controller; that of v2 has none
      for (String line : files.read(MEMBERSHIP).lines().toList()) {
        String[] fields = line.split(":", 3);
        for (String controller : fields[1].split(",")) {
          places.put(controller, fields[2].substring(1));
        }
      }
      Map<String, Path> roots = new HashMap<>();
      Map<String, Path> groups = new HashMap<>();
      Optional<Path> unified = Optional.empty();
      for (String line : files.read(MOUNTS).lines().toList()) {
        String[] fields = line.split(" ");
        Path mount = Path.of(fields[1]);
        if (fields[2].equals("cgroup2") && places.containsKey(ANY)) {
          unified = Optional.of(mount.resolve(places.get(ANY)));
        } else if (fields[2].equals("cgroup")) {
          for (String controller : controllers(fields[3])) {
            if (places.containsKey(controller)) {
              roots.put(controller, mount);
              groups.put(controller, mount.resolve(places.get(controller)));
            }
          }
        }
      }
      return new OwnGroups(Map.copyOf(roots), Map.copyOf(groups), unified);
    }

    private static List<String> controllers(String mountOptions) {
      return Arrays.asList(mountOptions.split(","));
    }
  }
}
