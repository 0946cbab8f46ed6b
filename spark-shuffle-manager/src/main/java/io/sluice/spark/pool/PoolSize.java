package io.sluice.spark.pool;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.resource.ResourceProfile$;

/**
 * The memory that the pools of an executor may take. A pool on tmpfs is charged to the executor's
 * container and cannot be reclaimed. So it must fit beside everything else that the container was
 * sized for:
 *
 * <pre>
 * container = heap + off-heap + Python + spark.executor.memoryOverhead
 *                                        = Spark's own need + pool
 * </pre>
 *
 * <p>Spark's default for the overhead is its own need. On Kubernetes a pool gets at least a sixth
 * of that default and at most 64 MiB of it, as much as {@code /dev/shm} has there, but nothing
 * where the overhead is for Python.
 *
 * <p>The setting alone bounds a pool on a file system that is not memory. Thread contract:
 * immutable.
 *
 * @param capacityBytes most bytes of segments
 * @param segmentBytes length of a segment: at least four fit
 * @param reason explains the capacity, for the log
 */
public record PoolSize(long capacityBytes, int segmentBytes, String reason) {
  private static final Path DEVICES = Path.of("/dev");
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final long MIB = 1L << 20;
  private static final long DEFAULT_BYTES = 1L << 30;

  /** A smaller pool is not worth its threads. */
  private static final long LEAST_AUTO_BYTES = 16 * MIB;

  /** Bytes that a pool writes beside its segments. */
  private static final long OTHER_FILES_BYTES = MIB;

  private static final int SEGMENTS = 4;

  /**
   * The file system of a pool, and the process that fills the pool.
   *
   * @param isMemory whether the file system is memory
   * @param fileSystemBytes size of the file system; 0 if it does not tell
   * @param totalBytes memory of the container, or of the machine if there is no limit
   * @param heapBytes most bytes of the heap of this process
   */
  record Surroundings(boolean isMemory, long fileSystemBytes, long totalBytes, long heapBytes) {
    static Surroundings of(Path directory) throws IOException {
      Path existing = directory.toAbsolutePath();
      while (!Files.exists(existing)) {
        existing = existing.getParent();
      }
      if (existing.equals(DEVICES)) { // a container without /dev/shm, for example
        throw new NoSuchFileException(directory.toString());
      }
      FileStore store = Files.getFileStore(existing);
      // The JDK reads the limits of control groups, of both versions.
      OperatingSystemMXBean system =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      return new Surroundings(
          IN_MEMORY.contains(store.type()),
          store.getTotalSpace(),
          system.getTotalMemorySize(),
          Runtime.getRuntime().maxMemory());
    }
  }

  /**
   * Size of the pool of map outputs below a directory; capacity 0 if there is no memory for one.
   */
  static PoolSize of(SparkConf conf, Path directory) throws IOException {
    return of(conf, Surroundings.of(directory));
  }

  /** Size of the pool of persisted blocks, which gets what the pool of map outputs leaves. */
  public static PoolSize ofBlocks(SparkConf conf, Path directory) throws IOException {
    Surroundings surroundings = Surroundings.of(directory);
    long outputsBytes = of(conf, surroundings).capacityBytes();
    long wantedBytes = SparkSettings.PERSISTENCE_CAPACITY_BYTES.get(SparkSettings.of(conf));
    return bounded(
        conf,
        surroundings,
        outputsBytes,
        wantedBytes,
        0,
        SparkSettings.PERSISTENCE_CAPACITY_BYTES.name());
  }

  static PoolSize of(SparkConf conf, Surroundings surroundings) {
    OptionalLong configured = SparkSettings.POOL_CAPACITY_BYTES.get(SparkSettings.of(conf));
    if (configured.isPresent()) {
      return bounded(
          conf,
          surroundings,
          0,
          configured.getAsLong(),
          0,
          SparkSettings.POOL_CAPACITY_BYTES.name());
    }
    Overhead overhead = Overhead.of(conf);
    if (!surroundings.isMemory() || !overhead.isOfContainer()) {
      return bounded(conf, surroundings, 0, DEFAULT_BYTES, LEAST_AUTO_BYTES, "the default");
    }
    return bounded(
        conf,
        surroundings,
        0,
        overhead.leftBytes(),
        LEAST_AUTO_BYTES,
        overhead
            + "; for a pool of 1 GiB set "
            + Overhead.NAME
            + " to "
            + mib(overhead.defaultBytes() + DEFAULT_BYTES)
            + "m, and have a file system as large");
  }

  private static PoolSize bounded(
      SparkConf conf,
      Surroundings surroundings,
      long besidesBytes,
      long wantedBytes,
      long leastBytes,
      String why) {
    long capacityBytes = wantedBytes;
    String reason = why;
    if (surroundings.isMemory()) {
      long fileSystemBytes = Math.max(0, surroundings.fileSystemBytes() - OTHER_FILES_BYTES);
      if (surroundings.fileSystemBytes() > 0 && fileSystemBytes < capacityBytes) {
        capacityBytes = fileSystemBytes;
        reason = why + ", bounded by the size of the file system";
      }
      long roomBytes =
          surroundings.totalBytes()
              - surroundings.heapBytes()
              - Overhead.of(conf).sparkBytes()
              - outsideBytes(conf)
              - besidesBytes;
      if (roomBytes < capacityBytes) {
        capacityBytes = Math.max(0, roomBytes);
        reason =
            why
                + ", bounded by the "
                + mib(surroundings.totalBytes())
                + " MiB of memory that this process may use, less "
                + mib(surroundings.totalBytes() - roomBytes)
                + " MiB for heap, "
                + Overhead.NAME
                + " and other pools";
      }
    }
    if (capacityBytes > 0 && capacityBytes < leastBytes) {
      reason += "; " + mib(capacityBytes) + " MiB are too little for a pool";
      capacityBytes = 0;
    }
    long shareBytes =
        surroundings.fileSystemBytes() == 0
            ? Long.MAX_VALUE
            : surroundings.fileSystemBytes() / SEGMENTS;
    long segmentBytes =
        Math.min(
            SparkSettings.POOL_SEGMENT_BYTES.get(SparkSettings.of(conf)),
            Math.min(capacityBytes / SEGMENTS, shareBytes));
    long wholeBytes =
        segmentBytes / StoreConfig.DEFAULT_BLOCK_BYTES * StoreConfig.DEFAULT_BLOCK_BYTES;
    return new PoolSize(
        capacityBytes, (int) Math.max(MIB, wholeBytes), mib(capacityBytes) + " MiB: " + reason);
  }

  /** Memory of the container for off-heap and Python, which have settings of their own. */
  private static long outsideBytes(SparkConf conf) {
    long offHeapBytes =
        conf.getBoolean("spark.memory.offHeap.enabled", false)
            ? conf.getSizeAsBytes("spark.memory.offHeap.size", "0b")
            : 0;
    return offHeapBytes + pythonMib(conf) * MIB;
  }

  /**
   * Spark passes this value of a resource profile to tasks only; it puts the others into the
   * executor's settings.
   */
  private static long pythonMib(SparkConf conf) {
    TaskContext task = TaskContext.get();
    String ofProfile =
        task == null
            ? null
            : task.getLocalProperty(ResourceProfile$.MODULE$.PYSPARK_MEMORY_LOCAL_PROPERTY());
    return ofProfile == null
        ? conf.getSizeAsMb("spark.executor.pyspark.memory", "0m")
        : Long.parseLong(ofProfile);
  }

  private static long mib(long bytes) {
    return bytes / MIB;
  }

  /**
   * The part of an executor's container that is neither heap nor memory with a setting of its own,
   * as Spark sizes it on YARN and Kubernetes.
   *
   * <p>Thread contract: immutable.
   *
   * @param isOfContainer whether the cluster manager sizes containers by it
   * @param defaultBytes Spark's default for it
   * @param sparkBytes the part that Spark needs itself
   * @param setBytes the user's value; empty if it is not set
   */
  record Overhead(
      boolean isOfContainer, long defaultBytes, long sparkBytes, Optional<Long> setBytes) {
    static final String NAME = "spark.executor.memoryOverhead";

    /**
     * On Kubernetes a pool gets this part of Spark's default, as a divisor, and no more than that.
     */
    private static final int LEAST_SHARE = 6;

    private static final long MOST_SHARE_BYTES = 64 * MIB;

    /** Spark says so to itself, of an application whose driver runs in a pod. */
    private static final String LANGUAGE = "spark.kubernetes.resource.type";

    static Overhead of(SparkConf conf) {
      String master = conf.get("spark.master", "");
      boolean isKubernetes = master.startsWith("k8s://");
      double factor =
          conf.getDouble(
              NAME + "Factor", conf.getDouble("spark.kubernetes.memoryOverheadFactor", 0.1));
      long heapMib = conf.getSizeAsMb("spark.executor.memory", "1g");
      long leastMib = conf.getSizeAsMb("spark.executor.minMemoryOverhead", "384m");
      long defaultBytes = Math.max((long) (factor * heapMib), leastMib) * MIB;
      Optional<Long> set =
          conf.contains(NAME) ? Optional.of(conf.getSizeAsMb(NAME) * MIB) : Optional.empty();
      boolean shares = isKubernetes && !conf.get(LANGUAGE, "").equals("python");
      long shareBytes = shares ? Math.min(MOST_SHARE_BYTES, defaultBytes / LEAST_SHARE) : 0;
      long besidesBytes = set.orElse(defaultBytes) - shareBytes;
      long sparkBytes = Math.max(defaultBytes - shareBytes, Math.min(defaultBytes, besidesBytes));
      return new Overhead(master.equals("yarn") || isKubernetes, defaultBytes, sparkBytes, set);
    }

    /** The part that is left for a pool. */
    long leftBytes() {
      return Math.max(0, setBytes.orElse(defaultBytes) - sparkBytes);
    }

    @Override
    public String toString() {
      return "%s is %s, of which Spark itself needs %s MiB"
          .formatted(
              NAME,
              setBytes
                  .map(bytes -> mib(bytes) + " MiB")
                  .orElse("not set and so " + mib(defaultBytes) + " MiB"),
              mib(sparkBytes));
    }
  }
}
