package io.sluice.spark.conf;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.conf.LimitSettings;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.SettingNames;
import io.sluice.node.conf.VerbsSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * The settings of a Spark application, given with {@code --conf} or in {@code spark-defaults.conf}.
 */
public final class SparkSettings {
  /** Value of {@link #SERVICE} for the service of the NodeManager. */
  public static final String YARN_SERVICE = "yarn";

  private static final String PREFIX = "spark.sluice.";
  private static final String NO_SERVICE = "none";
  private static final String YARN_MASTER = "yarn";

  /** Directory of the pools of executors. */
  public static final Setting<String> POOL_DIR =
      Setting.text(
          "spark.sluice.pool.dir",
          "/dev/shm",
          "`/dev/shm`",
          "Directory in which each executor makes its own directory for its pool of memory-mapped"
              + " segments: tmpfs, DAX or NVMe. Only the application's user can read the"
              + " executors' directories.");

  private static final String AUTO = "auto";

  private static final Setting<Long> POOL_CAPACITY_SET_BYTES =
      Setting.size("spark.sluice.pool.capacity", "1g", "0b", "16t", "");

  /** Size of an executor's memory tier; empty if it follows from its memory. */
  public static final Setting<OptionalLong> POOL_CAPACITY_BYTES =
      new Setting<>(
          POOL_CAPACITY_SET_BYTES.name(),
          AUTO,
          "Size of an executor's memory tier. The executor allocates it one segment at a time, as"
              + " shuffles need it, and keeps it. Bytes that do not fit go to the executor's"
              + " `spark.local.dir`. `auto` takes `1g`, except on YARN and Kubernetes if the pool"
              + " lies in memory. There it takes the part of `spark.executor.memoryOverhead`"
              + " above Spark's own default for it, and on Kubernetes at least a sixth of that"
              + " default, up to 64 MiB. If there is none, tasks write files as Spark does. The size never"
              + " exceeds the memory that the executor's control group or machine has beside the"
              + " heap and what Spark needs of that overhead.",
          text ->
              text == null || text.equals(AUTO)
                  ? OptionalLong.empty()
                  : OptionalLong.of(POOL_CAPACITY_SET_BYTES.get(key -> text)));

  /** Size of a segment. */
  public static final Setting<Long> POOL_SEGMENT_BYTES =
      Setting.size(
          "spark.sluice.pool.segmentSize",
          "64m",
          "1m",
          "1g",
          "Largest size of one segment. A segment is mapped, faulted in and registered as a"
              + " whole. In a small pool, or on a small file system, a segment is a quarter of"
              + " the pool or file system.");

  /** How tasks write to the pool. */
  public static final Setting<String> POOL_MEDIUM =
      Setting.text(
          "spark.sluice.pool.medium",
          "auto",
          "auto",
          "How tasks write to the pool: through a `plain` mapping, through the JDK's synchronous"
              + " mapping of persistent memory (`sync`) or through `libpmem`. `auto` takes `sync`"
              + " on a DAX mount and `plain` elsewhere.");

  /** Address at which the transports of a pool listen. */
  public static final Setting<DataAddress> POOL_DATA_ADDRESS =
      DataAddress.setting(
          "spark.sluice.pool.dataAddress",
          "Address at which the transports of executors' pools listen: "
              + DataAddress.FORMS
              + ". An executor has no pool if the value matches no address of its node, or"
              + " several.");

  /** First port of an executor's pool; 0 for free ports. */
  public static final Setting<Integer> POOL_PORT =
      Setting.integer(
          "spark.sluice.pool.port",
          0,
          0,
          65_535,
          "First port at which an executor's pool listens; each transport takes one more. 0 takes"
              + " free ports. If a port is taken, the pool tries the next ports, up to"
              + " `spark.port.maxRetries` times, as Spark does. The executors of one host need as"
              + " many tries as there are executors. An executor that finds no free ports logs"
              + " it, and its tasks write files as Spark does.");

  /** The node's service: {@link #YARN_SERVICE} or its directory; empty if there is none. */
  public static final Setting<Optional<String>> SERVICE =
      new Setting<>(
          "spark.sluice.service",
          NO_SERVICE,
          "The node service that runs on every node. `yarn` names the NodeManagers' auxiliary"
              + " service `sluice_shuffle`. An absolute path, the same on every node, names the"
              + " service's directory. Map outputs then survive their executor. If no service"
              + " answers, an executor uses its own pool, or files if"
              + " `spark.shuffle.service.enabled` is set. On YARN with"
              + " `spark.shuffle.service.enabled` the default is `yarn`.",
          SparkSettings::service);

  /** Transport of remote reads. */
  public static final Setting<String> TRANSPORT =
      Setting.transport(
          "spark.sluice.transport",
          "Transport with which executors serve and read shuffle blocks. `auto` takes the best"
              + " that works on both sides. A named transport is used where the other side offers"
              + " it, and tcp elsewhere. Blocks of up to 2 KiB come over tcp, with the answer"
              + " that locates them. They do not if a transport other than tcp is named and"
              + " `spark.sluice.fallback.policy` is `never`. A read that fails is tried once more"
              + " over tcp.");

  /** Memory to copy bytes through that a NIC cannot register. */
  public static final Setting<Long> BOUNCE_BUFFER_BYTES =
      Setting.size(
          "spark.sluice.server.bounceBuffer",
          "16m",
          "0b",
          "1g",
          "Registered memory, where an executor serves over RDMA. It copies bytes that the NIC"
              + " cannot register through this memory.");

  /** Memory of an executor's registered windows for remote reads. */
  public static final Setting<Long> READ_BUFFER_BYTES =
      Setting.size(
          "spark.sluice.read.buffer",
          "16m",
          "1m",
          "1g",
          "Off-heap memory of an executor for reading remote blocks.");

  /** Deadline of each exchange with a peer. */
  public static final Setting<Long> IO_TIMEOUT_MS =
      Setting.time(
          "spark.sluice.io.timeout",
          "30s",
          "100ms",
          "10min",
          "Deadline of one exchange with another executor or a node service (connect, request or"
              + " read).");

  /** Whether Spark may take over from Sluice. */
  public static final Setting<String> FALLBACK_POLICY =
      Setting.choice(
          SparkFallbackPolicy.KEY,
          "Fallback if Sluice, or the named transport, does not work. `auto`: Spark's own"
              + " shuffle, an executor's pool or another transport takes over, and Sluice counts"
              + " it. `never`: the shuffle, the task or the fetch fails and says why.",
          SparkFallbackPolicy.AUTO.value(),
          SparkFallbackPolicy.NEVER.value());

  /** Whether a pool keeps persisted blocks. */
  public static final Setting<Boolean> PERSISTENCE_ENABLED =
      Setting.bool(
          "spark.sluice.persistence.enabled",
          false,
          "Whether an executor keeps persisted blocks in a pool of its own instead of files."
              + " These are the blocks persisted on disk and the blocks that do not fit in"
              + " memory. It needs `spark.plugins=io.sluice.spark.SluicePlugin`.");

  /** Size of an executor's pool of persisted blocks. */
  public static final Setting<Long> PERSISTENCE_CAPACITY_BYTES =
      Setting.size(
          "spark.sluice.persistence.capacity",
          "1g",
          "1m",
          "16t",
          "Size of an executor's pool of persisted blocks. The first block opens the pool. Blocks"
              + " that do not fit go to files, as without the pool. On YARN and Kubernetes add"
              + " this size to `spark.executor.memoryOverhead`. The pool is never larger than the"
              + " memory that the executor's control group leaves.");

  /** Limits on the connections to an executor's pool. */
  public static final LimitSettings LIMITS = LimitSettings.SPARK;

  /** How the transport {@code verbs} of an executor's pool uses the network. */
  public static final VerbsSettings VERBS = VerbsSettings.SPARK;

  private static final SettingNames NAMES =
      new SettingNames(
          Stream.concat(readable().map(Setting::name), Stream.of(ApplicationSecret.KEY))
              .collect(Collectors.toSet()),
          Map.ofEntries(
              Map.entry("spark.sluice.pool.capacity-mb", POOL_CAPACITY_BYTES.name()),
              Map.entry("spark.sluice.pool.segment-mb", POOL_SEGMENT_BYTES.name()),
              Map.entry("spark.sluice.bounce.buffer-mb", BOUNCE_BUFFER_BYTES.name()),
              Map.entry("spark.sluice.read.buffer-mb", READ_BUFFER_BYTES.name()),
              Map.entry("spark.sluice.io.timeout-ms", IO_TIMEOUT_MS.name()),
              Map.entry("spark.sluice.persistence.capacity-mb", PERSISTENCE_CAPACITY_BYTES.name()),
              Map.entry("spark.sluice.pool.max-connections", LIMITS.maxConnections().name()),
              Map.entry(
                  "spark.sluice.pool.max-unproved-connections", LIMITS.maxUnauthenticated().name()),
              Map.entry(
                  "spark.sluice.pool.proof-timeout-ms", LIMITS.authenticationTimeoutMs().name()),
              Map.entry("spark.sluice.pool.idle-timeout-ms", LIMITS.idleTimeoutMs().name())));

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

  /**
   * Whether executors may end before their outputs are read, because Spark's external shuffle
   * service is on. No output may then lie in an executor's own pool.
   */
  public static boolean isExternalServiceOn(SparkConf conf) {
    return conf.getBoolean("spark.shuffle.service.enabled", false);
  }

  /**
   * {@link #SERVICE} of an application; empty if there is none. The default on YARN is the
   * NodeManagers' service, if outputs must outlive executors.
   */
  public static Optional<String> nodeService(SparkConf conf) {
    boolean onYarn = conf.get("spark.master", "").equals(YARN_MASTER);
    return !conf.contains(SERVICE.name()) && onYarn && isExternalServiceOn(conf)
        ? Optional.of(YARN_SERVICE)
        : SERVICE.get(of(conf));
  }

  /** The values of an application's settings, as {@link Setting#get} asks for them. */
  public static UnaryOperator<String> of(SparkConf conf) {
    return key -> conf.contains(key) ? conf.get(key).trim() : null;
  }

  /**
   * Reads all settings.
   *
   * @throws IllegalArgumentException naming a setting with a wrong value, or names that are no
   *     settings
   */
  public static void check(SparkConf conf) {
    List<String> complaints =
        NAMES.complaints(
            Stream.of(conf.getAll())
                .map(Tuple2::_1)
                .filter(key -> key.startsWith(PREFIX))
                .toList());
    if (!complaints.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", complaints));
    }
    readable().forEach(setting -> setting.get(of(conf)));
  }

  private static Stream<Setting<?>> readable() {
    return Stream.of(all(), VERBS.all(), LIMITS.forExperiments()).flatMap(List::stream);
  }

  /** The settings for users, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(
        POOL_DIR,
        POOL_CAPACITY_BYTES,
        POOL_SEGMENT_BYTES,
        POOL_MEDIUM,
        POOL_DATA_ADDRESS,
        POOL_PORT,
        SERVICE,
        TRANSPORT,
        BOUNCE_BUFFER_BYTES,
        LIMITS.maxConnections(),
        READ_BUFFER_BYTES,
        IO_TIMEOUT_MS,
        FALLBACK_POLICY,
        PERSISTENCE_ENABLED,
        PERSISTENCE_CAPACITY_BYTES);
  }
}
