package io.sluice.tools.site;

import io.sluice.tools.doctor.ByteSize;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.SystemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether what the service takes fits this host: the file system of its pool, the machine's memory,
 * and beside the containers.
 *
 * @param conf the cluster's
 * @param files where the kernel shows the machine's memory
 * @param shared where a pool lies by default
 */
record NodeMemory(SiteConf conf, SystemFiles files, Path shared) {
  static final String NODE_MEMORY = "sluice.node.memory-mb";
  static final int DEFAULT_NODE_MEMORY_MB = 1_024;
  static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private static final String CAPACITY = "sluice.pool.capacity-mb";
  private static final String POOL_DIR = "sluice.pool.dir";
  private static final String CONTAINERS = "yarn.nodemanager.resource.memory-mb";
  private static final int DEFAULT_CONTAINERS_MB = 8_192;
  private static final int MIB_SHIFT = 20;

  List<Finding> look() {
    String name = conf.get(CAPACITY).isPresent() ? CAPACITY : NODE_MEMORY;
    String where = conf.get(name).map(Property::where).orElse(name + ", by default");
    Optional<Integer> mb = conf.number(name, DEFAULT_NODE_MEMORY_MB);
    if (conf.get(CAPACITY).isPresent() && conf.get(NODE_MEMORY).isPresent()) {
      return List.of(
          Finding.broken(
              where,
              "is set beside " + NODE_MEMORY,
              "the service does not start with both",
              "take one of them out"));
    }
    if (mb.isEmpty() || mb.get() < 0) {
      return List.of(
          Finding.broken(
              where,
              "is %s, which is no number of MiB".formatted(conf.get(name, "")),
              "the service does not start",
              "set it to a whole number of MiB"));
    }
    long bytes = (long) mb.get() << MIB_SHIFT;
    List<Finding> findings = new ArrayList<>();
    place(where, bytes).ifPresent(findings::add);
    machine(where, bytes, name.equals(NODE_MEMORY)).ifPresent(findings::add);
    return findings.isEmpty()
        ? List.of(Finding.ok(where, "is %s, which fits this host".formatted(ByteSize.of(bytes))))
        : findings;
  }

  private Optional<Finding> place(String where, long bytes) {
    Path place = conf.get(POOL_DIR).map(dir -> Path.of(dir.value())).orElse(shared);
    while (!Files.exists(place) && place.getParent() != null) {
      place = place.getParent();
    }
    long totalBytes;
    try {
      totalBytes = Files.isDirectory(place) ? Files.getFileStore(place).getTotalSpace() : 0;
    } catch (IOException e) {
      return Optional.of(Finding.broken(where, "has no place", e.toString(), "see " + place));
    }
    return totalBytes > 0 && bytes > totalBytes // devices, and hugetlbfs of no size, say none
        ? Optional.of(
            Finding.broken(
                where,
                "is %s, more than %s of this host holds".formatted(ByteSize.of(bytes), place),
                "that is %s in all; the service does not start".formatted(ByteSize.of(totalBytes)),
                "lower it, or mount -o remount,size=%sm %s (a container: --shm-size)"
                    .formatted((bytes >> MIB_SHIFT) + 1, place)))
        : Optional.empty();
  }

  private Optional<Finding> machine(String where, long bytes, boolean isMemory) {
    OptionalLong total = machineBytes();
    if (!isMemory || total.isEmpty()) {
      return Optional.empty();
    }
    String has = "this host has %s".formatted(ByteSize.of(total.getAsLong()));
    if (bytes > total.getAsLong()) {
      return Optional.of(
          Finding.broken(
              where,
              "is " + ByteSize.of(bytes),
              has + "; the service does not start",
              "lower it, as docs/sizing.md says"));
    }
    Optional<Integer> containersMb = conf.number(CONTAINERS, DEFAULT_CONTAINERS_MB);
    if (containersMb.isEmpty() || containersMb.get() < 0) { // YARN finds it out itself
      return Optional.empty();
    }
    long containerBytes = (long) containersMb.get() << MIB_SHIFT;
    long leftMb = (total.getAsLong() - bytes) >> MIB_SHIFT;
    return containerBytes + bytes > total.getAsLong()
        ? Optional.of(
            Finding.problem(
                conf.get(CONTAINERS).map(Property::where).orElse(CONTAINERS + ", by default"),
                "is %s, and %s takes %s more"
                    .formatted(ByteSize.of(containerBytes), NODE_MEMORY, ByteSize.of(bytes)),
                has,
                "set it to less than %s, what is left, minus the system's and the daemons'"
                    .formatted(leftMb)))
        : Optional.empty();
  }

  private OptionalLong machineBytes() {
    return files
        .field("/proc/meminfo", "MemTotal:")
        .map(kib -> OptionalLong.of(Long.parseLong(kib) << 10))
        .orElse(OptionalLong.empty());
  }
}
