package io.sluice.spark.conf;

import io.sluice.node.conf.LimitSettings;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.TransportSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;

/** What a Spark application may set, with {@code --conf} or in {@code spark-defaults.conf}. */
public final class SparkSettings {
  /** What {@link #SERVICE} calls the service of the NodeManager. */
  public static final String YARN_SERVICE = "yarn";

  private static final String NO_SERVICE = "none";

  /** Where the pools of executors lie. */
  public static final Setting<String> POOL_DIR =
      Setting.text(
          "spark.sluice.pool.dir",
          "/dev/shm",
          "`/dev/shm`",
          "Directory in which every executor makes one for its pool of memory-mapped segments:"
              + " tmpfs, DAX or NVMe. Only the application's user can read what is made there.");

  /** Size of an executor's memory tier. */
  public static final Setting<Integer> POOL_CAPACITY_MB =
      Setting.integer(
          "spark.sluice.pool.capacity-mb",
          1024,
          0,
          1 << 24,
          "Size of an executor's memory tier, in MiB, allocated a segment at a time as shuffles need"
              + " it, and kept. On YARN and Kubernetes add it to"
              + " `spark.executor.memoryOverhead`. What has no room goes to the executor's"
              + " `spark.local.dir`.");

  /** Size of a segment. */
  public static final Setting<Integer> POOL_SEGMENT_MB =
      Setting.integer(
          "spark.sluice.pool.segment-mb",
          64,
          1,
          1024,
          "Size of one segment, in MiB: what is mapped, faulted in and registered at once.");

  /** How the pool is written. */
  public static final Setting<String> POOL_MEDIUM =
      Setting.text(
          "spark.sluice.pool.medium",
          "auto",
          "auto",
          "How the pool is written: `plain` mapping, the JDK's synchronous mapping of NVM (`sync`)"
              + " or `libpmem`. `auto` takes sync where the mount is DAX and plain elsewhere.");

  /** The node's service: {@link #YARN_SERVICE} or its directory; empty without one. */
  public static final Setting<Optional<String>> SERVICE =
      new Setting<>(
          "spark.sluice.service",
          NO_SERVICE,
          "The node service that runs on every node of the cluster: its directory, an absolute"
              + " path and the same on each, or `yarn` for the auxiliary service `sluice_shuffle`"
              + " of the NodeManagers. Map outputs are written into its pool and survive their"
              + " executor; where it cannot be reached, an executor uses a pool of its own.",
          SparkSettings::service);

  /** Transport of remote reads. */
  public static final Setting<String> TRANSPORT =
      TransportSetting.of(
          "spark.sluice.transport",
          "Transport that executors serve and read shuffle blocks with: the best that works on both"
              + " sides (auto), or the one that is named, and tcp where the other side does not"
              + " offer that one. A read that fails is tried once more over tcp.");

  /** Memory for what a NIC cannot register. */
  public static final Setting<Integer> BOUNCE_BUFFER_MB =
      Setting.integer(
          "spark.sluice.bounce.buffer-mb",
          16,
          0,
          1024,
          "Registered memory through which an RDMA transport serves what the NIC cannot register,"
              + " in MiB.");

  /** Window memory of an executor. */
  public static final Setting<Integer> READ_BUFFER_MB =
      Setting.integer(
          "spark.sluice.read.buffer-mb",
          16,
          1,
          1024,
          "Off-heap memory of an executor for windows on remote blocks, in MiB.");

  /** Deadline of each exchange with a peer. */
  public static final Setting<Integer> IO_TIMEOUT_MS =
      Setting.integer(
          "spark.sluice.io.timeout-ms",
          30_000,
          100,
          600_000,
          "Deadline of one exchange with another executor: connect, request or read, in"
              + " milliseconds.");

  /** Whether persisted blocks are kept in a pool. */
  public static final Setting<String> PERSISTENCE_ENABLED =
      Setting.choice(
          "spark.sluice.persistence.enabled",
          "Whether an executor keeps in a pool of its own the blocks that Spark would keep in files:"
              + " those persisted on disk, and those that memory has no room for. Needs"
              + " `spark.plugins=io.sluice.spark.SluicePlugin`.",
          "false",
          "true");

  /** Size of an executor's pool of persisted blocks. */
  public static final Setting<Integer> PERSISTENCE_CAPACITY_MB =
      Setting.integer(
          "spark.sluice.persistence.capacity-mb",
          1024,
          1,
          1 << 24,
          "Size of an executor's pool of persisted blocks, in MiB; it is opened by the first of"
              + " them. What has no room goes to files, as without it. On YARN and Kubernetes add"
              + " it to `spark.executor.memoryOverhead`.");

  /** How many connections an executor's pool takes. */
  public static final LimitSettings LIMITS = LimitSettings.of("spark.sluice.pool.");

  private SparkSettings() {}

  private static Optional<String> service(String text) {
    if (text == null || text.equals(NO_SERVICE)) {
      return Optional.empty();
    }
    if (!text.equals(YARN_SERVICE) && !text.startsWith("/")) {
      throw new IllegalArgumentException(
          "spark.sluice.service is '" + text + "', expected none, yarn or an absolute path");
    }
    return Optional.of(text);
  }

  /** The values of an application's settings, as {@link Setting#get} asks for them. */
  public static UnaryOperator<String> of(SparkConf conf) {
    return key -> conf.contains(key) ? conf.get(key).trim() : null;
  }

  /**
   * Reads all of them.
   *
   * @throws IllegalArgumentException naming one that has no value of its form
   */
  public static void check(SparkConf conf) {
    all().forEach(setting -> setting.get(of(conf)));
  }

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    List<Setting<?>> all =
        new ArrayList<>(
            List.of(
                POOL_DIR,
                POOL_CAPACITY_MB,
                POOL_SEGMENT_MB,
                POOL_MEDIUM,
                SERVICE,
                TRANSPORT,
                BOUNCE_BUFFER_MB,
                READ_BUFFER_MB,
                IO_TIMEOUT_MS,
                PERSISTENCE_ENABLED,
                PERSISTENCE_CAPACITY_MB));
    all.addAll(LIMITS.all());
    return List.copyOf(all);
  }
}
