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
    return files.use(unified, memory.resolve("memory.oom_control"));
  }

  @Override
  public GroupMemory memory() {
    return files.memory(
        memory,
        "memory.usage_in_bytes",
        "total_cache",
        "total_rss",
        "total_shmem",
        "total_mapped_file");
  }

  @Override
  public void close() {
    files.remove(List.of(unified, memory)); // the first can kill all at once
  }

  /**
   * Bounds a block device for the whole machine, in the root group of cgroup v1's {@code blkio}.
   *
   * <p>Only there does it hold for buffered writes: writeback belongs to the root group, and a
   * child's bound is for its direct I/O alone. So the device must be used by nobody else.
   * Stateless.
   */
  static final class DeviceThrottle {
    private static final String PREFIX = "blkio.throttle.";

    private final KernelFiles files;
    private final Path root;

    private DeviceThrottle(KernelFiles files, Path root) {
      this.files = files;
      this.root = root;
    }

    /** That of this machine, if it has one. */
    static Optional<DeviceThrottle> find(KernelFiles files, OwnGroups own) {
      return Optional.ofNullable(own.roots().get("blkio"))
          .filter(root -> files.exists(root.resolve(PREFIX + "write_bps_device")))
          .map(root -> new DeviceThrottle(files, root));
    }

    /**
     * Sets all four bounds.
     *
     * @param device its numbers, such as 7:0
     */
    void set(String device, DeviceRate rate) throws IOException {
      for (String way : List.of("read", "write")) {
        files.write(root.resolve(PREFIX + way + "_bps_device"), device + " " + rate.bytesPerS());
        files.write(
            root.resolve(PREFIX + way + "_iops_device"), device + " " + rate.requestsPerS());
      }
    }

    /** Takes them away. */
    void clear(String device) throws IOException {
      set(device, new DeviceRate(0, 0));
    }
  }
}
