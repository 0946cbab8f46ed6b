package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  /**
   * Makes one.
   *
   * @param directory where its places are noted, for {@link #removeLeft}
   */
  public static ResourceGroup make(Path directory) {
    return make(KernelFiles.HERE, directory, "sluice-" + ProcessHandle.current().pid());
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
      return isV2(kernel, own, name)
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

  private static boolean isV2(KernelFiles kernel, OwnGroups own, String name) throws IOException {
    return CgroupV2.places(kernel, own, name).isPresent();
  }

  private static Optional<List<Path>> places(KernelFiles kernel, OwnGroups own, String name)
      throws IOException {
    Optional<List<Path>> v2 = CgroupV2.places(kernel, own, name);
    return v2.isPresent() ? v2 : CgroupV1.places(kernel, own, name);
  }
}
