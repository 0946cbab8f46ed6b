package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A group where the kernel's controllers are those of cgroup v1: memory is bounded in v1's tree,
 * processor time and stalls are counted by a group without controllers in the v2 tree beside it,
 * and a device is bounded for the whole machine.
 */
final class CgroupV1 implements ResourceGroup {
  private final GroupFiles files;
  private final DeviceThrottle throttle;
  private final Path memory;
  private final Path unified;

  private CgroupV1(GroupFiles files, DeviceThrottle throttle, Path memory, Path unified) {
    this.files = files;
    this.throttle = throttle;
    this.memory = memory;
    this.unified = unified;
  }

  /** Where a group of this name would lie; nothing where the kernel has other controllers. */
  static Optional<List<Path>> places(KernelFiles kernel, OwnGroups own, String name) {
    Path memory = own.groups().get("memory");
    if (memory == null || own.unified().isEmpty() || DeviceThrottle.find(kernel, own).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(List.of(memory.resolve(name), own.unified().get().resolve(name)));
  }

  /** Makes the directories that {@link #places} named. */
  static ResourceGroup make(KernelFiles kernel, OwnGroups own, List<Path> places) {
    GroupFiles files = new GroupFiles(kernel);
    try {
      for (Path place : places) {
        kernel.makeDirectory(place);
      }
    } catch (IOException e) {
      files.remove(places);
      throw new LimitException("cannot make the group " + places, e);
    }
    return new CgroupV1(
        files, DeviceThrottle.find(kernel, own).orElseThrow(), places.get(0), places.get(1));
  }

  @Override
  public String title() {
    return "cgroup v1";
  }

  @Override
  public List<String> enter() {
    return GroupFiles.enter(List.of(memory, unified));
  }

  @Override
  public void limitMemory(long bytes) {
    files.write(memory.resolve("memory.limit_in_bytes"), Long.toString(bytes));
  }

  @Override
  public void limitDevice(String device, DeviceRate rate) {
    try {
      throttle.set(device, rate);
    } catch (IOException e) {
      throw new LimitException("cannot bound the device " + device + " to " + rate, e);
    }
  }

  @Override
  public GroupUse use() {
    return new GroupUse(
        files.number(unified.resolve("cpu.stat"), "usage_usec"),
        files.stalledUs(unified.resolve("io.pressure"), "some"),
        files.stalledUs(unified.resolve("io.pressure"), "full"),
        files.stalledUs(unified.resolve("memory.pressure"), "some"),
        files.stalledUs(unified.resolve("memory.pressure"), "full"),
        files.number(memory.resolve("memory.oom_control"), "oom_kill"));
  }

  @Override
  public GroupMemory memory() {
    Path statistics = memory.resolve("memory.stat");
    return new GroupMemory(
        files.number(memory.resolve("memory.usage_in_bytes")),
        files.number(statistics, "total_cache"),
        files.number(statistics, "total_rss"),
        files.number(statistics, "total_shmem"),
        files.number(statistics, "total_mapped_file"));
  }

  @Override
  public void close() {
    files.remove(List.of(unified, memory)); // the first can kill all at once
  }
}
