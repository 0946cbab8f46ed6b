package io.sluice.tools.site;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.disk.Device;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.doctor.Finding.ShellWord;
import io.sluice.tools.site.SiteConf.Property;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks whether the service's memory fits this host: the file system of its pool, and the
 * machine's memory beside the containers.
 *
 * @param conf the cluster's configuration
 * @param machineBytes the machine's memory
 * @param ownBytes the memory of this process; less in a container, which need not be the
 *     NodeManager's
 * @param shared the directory in which a pool lies by default
 */
record NodeMemoryCheck(SiteConf conf, long machineBytes, long ownBytes, Path shared) {
  static final String NODE_MEMORY = "sluice.node.memory-mb";
  static final int DEFAULT_NODE_MEMORY_MB = 1_024;
  static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private static final String CAPACITY = "sluice.pool.capacity-mb";
  private static final String POOL_DIR = "sluice.pool.dir";
  private static final String CONTAINERS = "yarn.nodemanager.resource.memory-mb";
  private static final int DEFAULT_CONTAINERS_MB = 8_192;
  private static final String OVERFLOW = "sluice.pool.overflow-dirs";
  private static final String LOCAL_DIRS = "yarn.nodemanager.local-dirs";
  private static final String DEFAULT_LOCAL_DIR = "${hadoop.tmp.dir}/nm-local-dir";
  private static final String BOUNCE = "sluice.service.bounce-buffer-mb";
  static final int DEFAULT_BOUNCE_MB = 16;
  private static final String SEGMENT = "sluice.pool.segment-mb";
  static final int DEFAULT_SEGMENT_MB = 64;

  private static final int MIB_SHIFT = 20;

  List<Finding> look() {
    String name = conf.get(CAPACITY).isPresent() ? CAPACITY : NODE_MEMORY;
    String where = conf.get(name).map(Property::where).orElse(name + ", by default");
    Optional<Integer> mb = conf.number(name, DEFAULT_NODE_MEMORY_MB);
    if (conf.get(CAPACITY).isPresent() && conf.get(NODE_MEMORY).isPresent()) {
      return List.of(
          Finding.broken(
              where,
              "is set together with " + NODE_MEMORY,
              "the service does not start with both",
              "remove one of them"));
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
    try {
      PoolFileSystem fileSystem = PoolFileSystem.of(conf.get(POOL_DIR, shared.toString()));
      (name.equals(CAPACITY) ? capacity(where, bytes, fileSystem) : total(where, bytes, fileSystem))
          .ifPresent(findings::add);
    } catch (IOException | InvalidPathException e) {
      findings.add(
          Finding.problem(
              conf.get(POOL_DIR).map(Property::where).orElse(shared.toString()),
              "cannot be examined",
              ErrorText.of(e),
              "set it to an absolute path on this host"));
    }
    if (name.equals(NODE_MEMORY)) {
      machine(where, bytes).ifPresent(findings::add);
    }
    return findings.isEmpty()
        ? List.of(Finding.ok(where, "is %s, which fits this host".formatted(ByteSize.of(bytes))))
        : findings;
  }

  /** Checks the size of a memory tier alone, which the service itself does not check. */
  static Optional<Finding> capacity(String where, long bytes, PoolFileSystem fileSystem) {
    return fileSystem.totalBytes() > 0 && bytes > fileSystem.totalBytes()
        ? Optional.of(
            Finding.problem(
                where,
                more(bytes, fileSystem),
                "that file system has %s; map outputs fill it, and the rest goes to disk"
                    .formatted(ByteSize.of(fileSystem.totalBytes())),
                remedy(bytes, fileSystem)))
        : Optional.empty();
  }

  /**
   * Checks the size of a memory tier and buffers together. The service compares the tier with a
   * tmpfs when it starts. It serves over one RDMA transport or none, which is known only then, and
   * that one has bounce buffers.
   */
  Optional<Finding> total(String where, long bytes, PoolFileSystem fileSystem) {
    long diskBytes = disks() * Device.MEMORY_BYTES;
    long bounceBytes = (long) mb(BOUNCE, DEFAULT_BOUNCE_MB) << MIB_SHIFT;
    long segmentBytes = (long) mb(SEGMENT, DEFAULT_SEGMENT_MB) << MIB_SHIFT;
    long mostTierBytes = wholeSegments(bytes - diskBytes, segmentBytes);
    long leastTierBytes = wholeSegments(bytes - diskBytes - bounceBytes, segmentBytes);
    if (!fileSystem.isTmpfs()
        || fileSystem.totalBytes() == 0
        || mostTierBytes <= fileSystem.totalBytes()) {
      return Optional.empty();
    }
    String holds = "that file system has %s".formatted(ByteSize.of(fileSystem.totalBytes()));
    return Optional.of(
        leastTierBytes > fileSystem.totalBytes()
            ? Finding.broken(
                where,
                more(bytes, fileSystem),
                holds + "; the service does not start",
                remedy(bytes, fileSystem))
            : Finding.problem(
                where,
                "is %s, which may not fit %s".formatted(ByteSize.of(bytes), fileSystem.path()),
                holds
                    + "; without buffers for RDMA the pool takes %s, and the service does not start"
                        .formatted(ByteSize.of(mostTierBytes)),
                remedy(bytes, fileSystem)));
  }

  private static String more(long bytes, PoolFileSystem fileSystem) {
    return "is %s, more than %s of this host holds"
        .formatted(ByteSize.of(bytes), fileSystem.path());
  }

  private static String remedy(long bytes, PoolFileSystem fileSystem) {
    return fileSystem.isTmpfs()
        ? "lower it, or mount -o remount,size=%sm %s (a container: --shm-size)"
            .formatted((bytes >> MIB_SHIFT) + 1, ShellWord.of(fileSystem.path()))
        : "lower it, or give the pool a larger file system with " + POOL_DIR;
  }

  private static long wholeSegments(long bytes, long segmentBytes) {
    return bytes / segmentBytes * segmentBytes;
  }

  /** The number of directories of the disk tier, each of which has buffers. */
  private long disks() {
    String overflow = conf.get(OVERFLOW, "");
    String directories = overflow.isEmpty() ? conf.get(LOCAL_DIRS, DEFAULT_LOCAL_DIR) : overflow;
    return overflow.equals("none")
        ? 0
        : Stream.of(directories.split(",")).filter(directory -> !directory.isBlank()).count();
  }

  private int mb(String name, int otherwise) {
    return Math.max(1, conf.number(name, otherwise).orElse(otherwise));
  }

  private Optional<Finding> machine(String where, long bytes) {
    long segmentBytes = (long) mb(SEGMENT, DEFAULT_SEGMENT_MB) << MIB_SHIFT;
    if (bytes - segmentBytes >= machineBytes) { // the tier consists of whole segments
      return Optional.of(
          Finding.broken(
              where,
              "is " + ByteSize.of(bytes),
              "this host has %s; the service does not start".formatted(ByteSize.of(machineBytes)),
              "lower it (docs/sizing.md)"));
    }
    String has =
        ownBytes < machineBytes
            ? "the container of this process has " + ByteSize.of(ownBytes)
            : "this host has " + ByteSize.of(machineBytes);
    if (bytes - segmentBytes >= ownBytes) {
      return Optional.of(
          Finding.problem(
              where,
              "is " + ByteSize.of(bytes),
              has + "; a service in that container does not start",
              "run this doctor in the NodeManager's container, or lower it (docs/sizing.md)"));
    }
    Optional<Integer> containersMb = conf.number(CONTAINERS, DEFAULT_CONTAINERS_MB);
    if (containersMb.isEmpty() || containersMb.get() < 0) { // YARN reports that itself
      return Optional.empty();
    }
    long containerBytes = (long) containersMb.get() << MIB_SHIFT;
    long leftMb = (ownBytes - bytes) >> MIB_SHIFT;
    return containerBytes + bytes > ownBytes
        ? Optional.of(
            Finding.problem(
                conf.get(CONTAINERS).map(Property::where).orElse(CONTAINERS + ", by default"),
                "is %s, and %s takes %s more"
                    .formatted(ByteSize.of(containerBytes), NODE_MEMORY, ByteSize.of(bytes)),
                has,
                leftMb > 0
                    ? "set it to the remaining %s MiB, less memory for the system and the daemons"
                        .formatted(leftMb)
                    : "lower %s, which leaves no memory for containers".formatted(NODE_MEMORY)))
        : Optional.empty();
  }

  /**
   * The file system of this host in which a pool lies or will lie.
   *
   * @param path the pool's directory, or its nearest parent that exists
   * @param type the type of the file system
   * @param totalBytes its size; 0 if it reports none, as devices and hugetlbfs do
   */
  record PoolFileSystem(Path path, String type, long totalBytes) {
    private static final String SCHEME = "file:";

    /** The file system of a directory, which a path or a URI of the local file system names. */
    static PoolFileSystem of(String directory) throws IOException {
      String name = directory.startsWith(SCHEME) ? directory.substring(SCHEME.length()) : directory;
      Path path = Path.of(name.replaceFirst("^//+", "/")).toAbsolutePath();
      while (!Files.exists(path)) {
        path = path.getParent();
      }
      FileStore store = Files.getFileStore(path);
      return new PoolFileSystem(
          path, store.type(), Files.isDirectory(path) ? store.getTotalSpace() : 0);
    }

    /** Whether files there take the machine's memory, up to the size of the mount. */
    boolean isTmpfs() {
      return type.equals("tmpfs");
    }

    /** Whether files there take the machine's memory, with or without a limit. */
    boolean isMemory() {
      return isTmpfs() || type.equals("ramfs");
    }
  }
}
