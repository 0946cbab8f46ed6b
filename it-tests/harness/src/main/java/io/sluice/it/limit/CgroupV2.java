package io.sluice.it.limit;

import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import io.sluice.it.limit.ResourceGroups.OwnGroups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A group where the kernel's controllers are those of cgroup v2 and this process's group is its to
 * divide.
 *
 * <p>v2 lets no processes be in a group that has groups with controllers below it. So what is in
 * ours moves to a leaf beside the new group, and back when that is closed.
 */
final class CgroupV2 implements ResourceGroup {
  private static final String DIVIDED = "cgroup.subtree_control";

  private final GroupFiles files;
  private final Path group;
  private final Path others;

  private CgroupV2(GroupFiles files, List<Path> places) {
    this.files = files;
    this.group = places.get(0);
    this.others = places.get(1);
  }

  /** Where a group of this name would lie; nothing where the controllers are not v2's. */
  static Optional<List<Path>> places(KernelFiles kernel, OwnGroups own, String name)
      throws IOException {
    if (own.unified().isEmpty()) {
      return Optional.empty();
    }
    Path unified = own.unified().get();
    List<String> controllers =
        List.of(kernel.read(unified.resolve("cgroup.controllers")).strip().split(" "));
    return controllers.containsAll(List.of("memory", "io"))
        ? Optional.of(List.of(unified.resolve(name), unified.resolve(name + "-others")))
        : Optional.empty();
  }

  /** Makes the directories that {@link #places} named. */
  static ResourceGroup make(KernelFiles kernel, List<Path> places) {
    GroupFiles files = new GroupFiles(kernel);
    CgroupV2 made = new CgroupV2(files, places);
    Path own = made.group.getParent();
    try {
      kernel.makeDirectory(made.others);
      files.move(own, made.others);
      files.write(own.resolve(DIVIDED), "+memory +io");
      kernel.makeDirectory(made.group);
    } catch (IOException | LimitException e) {
      LimitException failure = new LimitException("cannot make the group " + made.group, e);
      try {
        made.close();
      } catch (LimitException also) {
        failure.addSuppressed(also);
      }
      throw failure;
    }
    return made;
  }

  @Override
  public String title() {
    return "cgroup v2";
  }

  @Override
  public List<String> enter() {
    return GroupFiles.enter(List.of(group));
  }

  @Override
  public void limitMemory(long bytes) {
    files.write(group.resolve("memory.max"), Long.toString(bytes));
  }

  @Override
  public void limitDevice(String device, DeviceRate rate) {
    files.write(
        group.resolve("io.max"),
        "%s rbps=%d wbps=%d riops=%d wiops=%d"
            .formatted(
                device,
                rate.bytesPerS(),
                rate.bytesPerS(),
                rate.requestsPerS(),
                rate.requestsPerS()));
  }

  @Override
  public GroupUse use() {
    return files.use(group, group.resolve("memory.events"));
  }

  @Override
  public GroupMemory memory() {
    return files.memory(group, "memory.current", "file", "anon", "shmem", "file_mapped");
  }

  @Override
  public void close() {
    removeLeft(files, List.of(group, others));
  }

  /** Removes the rest of a group, whose owner may have been killed: the others go back. */
  static void removeLeft(GroupFiles files, List<Path> places) {
    files.remove(places.subList(0, 1));
    Path others = places.get(1);
    if (files.isThere(others)) {
      Path own = others.getParent();
      files.write(own.resolve(DIVIDED), "-memory -io");
      files.move(others, own);
      files.removeOnceEmpty(others);
    }
  }
}
