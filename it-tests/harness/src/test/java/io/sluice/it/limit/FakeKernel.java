package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Trees of control groups that keep what is written, and note all that is done to them. */
final class FakeKernel implements KernelFiles {
  final List<String> log = new ArrayList<>();
  private final Map<Path, String> files = new TreeMap<>();
  private boolean writable = true;
  private int late;

  /** What the machine has that Sluice's bench runs on: v1's controllers, and v2 without any. */
  static FakeKernel hybrid() {
    return new FakeKernel()
        .with("/proc/self/cgroup", "7:blkio:/\n4:memory:/box/one\n2:cpu,cpuacct:/\n0::/\n")
        .with(
            "/proc/self/mounts",
            """
            /dev/vda / ext4 rw 0 0
            cgroup /cg/memory cgroup rw,relatime,memory 0 0
            cgroup /cg/blkio cgroup rw,relatime,blkio 0 0
            cgroup2 /cg/unified cgroup2 rw,relatime 0 0
            """)
        .with("/cg/unified/cgroup.controllers", "hugetlb\n")
        .with("/cg/blkio/blkio.throttle.write_bps_device", "")
        .with("/cg/blkio/blkio.throttle.read_bps_device", "")
        .with("/cg/blkio/blkio.throttle.write_iops_device", "")
        .with("/cg/blkio/blkio.throttle.read_iops_device", "");
  }

  /** A group of our own in a machine whose controllers are all v2's. */
  static FakeKernel pure() {
    return new FakeKernel()
        .with("/proc/self/cgroup", "0::/user/scope\n")
        .with("/proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\n")
        .with("/cg/user/scope/cgroup.controllers", "cpu io memory pids\n")
        .with("/cg/user/scope/cgroup.subtree_control", "")
        .with("/cg/user/scope/cgroup.procs", "11\n12\n");
  }

  FakeKernel with(String file, String text) {
    files.put(Path.of(file), text);
    return this;
  }

  FakeKernel readOnly() {
    writable = false;
    return this;
  }

  /** The next removal of a group finds a process that has entered it after all were killed. */
  FakeKernel withLateProcess() {
    late++;
    return this;
  }

  @Override
  public boolean exists(Path path) {
    return files.keySet().stream().anyMatch(file -> file.startsWith(path));
  }

  @Override
  public boolean isWritable(Path path) {
    return writable;
  }

  @Override
  public String read(Path file) throws IOException {
    String text = files.get(file);
    if (text == null) {
      throw new NoSuchFileException(file.toString());
    }
    return text;
  }

  @Override
  public void write(Path file, String text) throws IOException {
    read(file);
    log.add(text + " > " + file);
    if (file.endsWith("cgroup.procs")) {
      files.replaceAll(
          (other, pids) -> other.endsWith(file.getFileName()) ? without(pids, text) : pids);
      files.merge(file, text + "\n", String::concat);
    }
  }

  private static String without(String pids, String pid) {
    return pids.replaceAll("(?m)^" + pid + "\n", "");
  }

  @Override
  public void makeDirectory(Path directory) {
    log.add("mkdir " + directory);
    for (String file :
        List.of("cgroup.procs", "memory.limit_in_bytes", "memory.max", "io.max", "cgroup.kill")) {
      files.put(directory.resolve(file), "");
    }
  }

  @Override
  public void removeDirectory(Path directory) throws IOException {
    if (!exists(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
    if (late > 0) {
      late--;
      throw new FileSystemException(directory.toString(), null, "Device or resource busy");
    }
    log.add("rmdir " + directory);
    files.keySet().removeIf(file -> file.startsWith(directory));
  }
}
