package io.sluice.hadoop.conf;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.conf.LimitSettings;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.VerbsSettings;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The settings of the NodeManager's service, for administrators. */
public final class NodeSettings {
  /** The value of {@link #POOL_ALLOCATION} for all at once. */
  public static final String AT_START = "start";

  /** The pool's directory. */
  public static final Setting<String> POOL_DIR =
      Setting.text(
          "sluice.pool.dir",
          "",
          "`/dev/shm/sluice-USER-PORT`",
          "Directory of the service: its pool of memory-mapped segments, its socket and its"
              + " records of applications. Any mount whose files can be written and mapped:"
              + " tmpfs, DAX, NVMe. It may also be a directory of hugetlbfs or a device-DAX"
              + " device such as `/dev/dax0.0`. That holds the pool alone; the rest then stays in"
              + " the default directory. Only the NodeManager's user can read it.");

  /** All that the service takes. */
  public static final Setting<Integer> NODE_MEMORY_MB =
      Setting.integer(
          "sluice.node.memory-mb",
          1024,
          1,
          1 << 24,
          "Memory of the node that shuffling takes outside the containers, in MiB: the memory"
              + " tier of the pool, bounce buffers and buffers of disks. Subtract it from"
              + " `yarn.nodemanager.resource.memory-mb` ([Sizing a node](sizing.md)).");

  /** Size of the memory tier. */
  public static final Setting<OptionalInt> POOL_CAPACITY_MB =
      Setting.optionalInteger(
          "sluice.pool.capacity-mb",
          "what `sluice.node.memory-mb` leaves",
          0,
          1 << 24,
          "Size of the memory tier, in MiB. Set it instead of `sluice.node.memory-mb` if the pool"
              + " lies on a DAX device or an NVMe disk and so takes no memory of the node. 0 for"
              + " no memory tier.");

  /** When the memory tier is allocated. */
  public static final Setting<String> POOL_ALLOCATION =
      Setting.choice(
          "sluice.pool.allocation",
          "When the service allocates the memory tier. `start`: all of it when the service"
              + " starts. Missing memory then shows at once, and no map task waits for memory to"
              + " be allocated. `demand`: one segment at a time, as map outputs need it.",
          AT_START,
          "demand");

  /** Size of a segment. */
  public static final Setting<Integer> POOL_SEGMENT_MB =
      Setting.integer(
          "sluice.pool.segment-mb",
          64,
          1,
          1024,
          "Size of one segment, in MiB. A segment is mapped, faulted in and registered as a"
              + " whole.");

  /** The disk tier. */
  public static final Setting<String> POOL_OVERFLOW_DIRS =
      Setting.text(
          "sluice.pool.overflow-dirs",
          "",
          "`sluice-overflow` in each of `yarn.nodemanager.local-dirs`",
          "Directories of the disk tier, separated by commas. The disk tier takes the map outputs"
              + " for which the memory tier has no room. `none` for no disk tier.");

  /** Bound of the disk tier. */
  public static final Setting<Integer> POOL_OVERFLOW_CAPACITY_MB =
      Setting.integer(
          "sluice.pool.overflow-capacity-mb",
          0,
          0,
          Integer.MAX_VALUE,
          "Size of the disk tier, in MiB; 0 for all the room that its file systems have. In both"
              + " cases the service keeps a reserve. It is 1 GiB above the free space at which"
              + " YARN's disk health checker calls a disk full"
              + " (`yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage`,"
              + " `min-free-space-per-disk-mb`).");

  /** Copies of outputs on disk. */
  public static final Setting<Boolean> BACKGROUND_COPY =
      Setting.bool(
          "sluice.disk.background-copy",
          false,
          "Whether the service copies map outputs from memory to the disk tier while the disk is"
              + " idle. The memory of an output with a copy can be freed at once. With"
              + " `yarn.nodemanager.recovery.enabled` such outputs also survive the loss of the"
              + " memory, for example a reboot. Each byte is written to the disk once.");

  /** How the pool is written. */
  public static final Setting<String> POOL_MEDIUM =
      Setting.text(
          "sluice.pool.medium",
          "auto",
          "auto",
          "How tasks write to the pool: through a `plain` mapping, through the JDK's synchronous"
              + " mapping of persistent memory (`sync`), through `libpmem`, or by stores to a DAX"
              + " device that libpmem flushes (`devdax`). `auto` takes `devdax` for a device,"
              + " `sync` on a DAX mount, and `plain` elsewhere.");

  /** The transports served. */
  public static final Setting<String> TRANSPORT =
      Setting.transport(
          "sluice.service.transport",
          "Transport that the service offers to reducers, beside tcp. `auto` offers [the best that"
              + " works](choosing-a-transport.md) here; where several users are served, that is"
              + " never ucx. The service does not start if a named transport does not work on"
              + " the host.");

  /** Memory for what a NIC cannot register. */
  public static final Setting<Integer> BOUNCE_BUFFER_MB =
      Setting.integer(
          "sluice.service.bounce-buffer-mb",
          16,
          0,
          1024,
          "Registered memory, in MiB, where the service offers RDMA. The service copies bytes that"
              + " the NIC cannot register through this memory, for example those of a pool on"
              + " fs-DAX or of the disk tier. It is allocated when it is first needed. 0 for none;"
              + " reducers then read such segments over tcp.");

  /** Where the service listens, relative to stock's port. */
  public static final Setting<Integer> PORT_OFFSET =
      Setting.integer(
          "sluice.service.port-offset",
          4_000,
          1,
          10_000,
          "The service's control port is `mapreduce.shuffle.port` plus this number. Its"
              + " transports listen at the ports that follow. If one of these ports is taken, the"
              + " service listens 1,000 or 2,000 ports higher. Reducers look for the service at"
              + " the same ports, so jobs need the same value.");

  /** Where its transports listen. */
  public static final Setting<DataAddress> DATA_ADDRESS =
      DataAddress.setting(
          "sluice.service.data-address",
          "Address at which the service's transports listen: "
              + DataAddress.FORMS
              + ". Reducers learn it from the control port, which listens at every address. The"
              + " service does not start if the value matches no address of its node, or"
              + " several.");

  /** The value of {@link #USERS} for the NodeManager's user alone. */
  public static final String OWN_USER = "own";

  /** The value of {@link #USERS} for everybody. */
  public static final String ALL_USERS = "all";

  /** Whose tasks are served. */
  public static final Setting<String> USERS =
      Setting.choice(
          "sluice.service.users",
          "Users whose tasks the service serves. `own`: the NodeManager's user; tasks of other"
              + " users use the stock shuffle. `all`: every user, each for the applications that"
              + " YARN started on this node for that user. `auto`: `own` with"
              + " `DefaultContainerExecutor`, which runs all tasks as one user, else `all`.",
          "auto",
          OWN_USER,
          ALL_USERS);

  /** When files of users are forgotten. */
  public static final Setting<Long> FILES_KEPT =
      Setting.time(
          "sluice.cluster.kept",
          "7d",
          "1m",
          "3650d",
          "How long a node keeps the [files in its memory](cluster-files.md) of a user who does"
              + " not use the node. After this time without a task or reader of the user, the"
              + " node deletes the files. So files that were deleted while the node was away do"
              + " not stay for ever.");

  /** How many connections it takes. */
  public static final LimitSettings LIMITS = LimitSettings.HADOOP;

  /** How its transport {@code verbs} uses the network. */
  public static final VerbsSettings VERBS = VerbsSettings.HADOOP;

  private NodeSettings() {}

  /** The settings that users may want, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(
        NODE_MEMORY_MB,
        POOL_DIR,
        POOL_CAPACITY_MB,
        POOL_ALLOCATION,
        POOL_SEGMENT_MB,
        POOL_OVERFLOW_DIRS,
        POOL_OVERFLOW_CAPACITY_MB,
        BACKGROUND_COPY,
        POOL_MEDIUM,
        TRANSPORT,
        BOUNCE_BUFFER_MB,
        PORT_OFFSET,
        DATA_ADDRESS,
        USERS,
        FILES_KEPT,
        LIMITS.maxConnections());
  }

  /**
   * The ports at which a NodeManager's service may listen with its control protocol. The service
   * takes the first of them that is free, with those behind it. A reader tries them in the same
   * order. So a port that another program has taken stops neither.
   *
   * <pre>
   *   ShuffleHandler's port + offset            control
   *                         + 1 to + 3          data, a port for each transport
   *                         + 4 to + 6          probes
   *   the same 1,000 and 2,000 ports further on
   * </pre>
   *
   * <p>With the defaults these are 17562 to 17568, 18562 to 18568, and 19562 to 19568. Linux takes
   * no ports of outgoing connections from there, and neither Hadoop nor the programs that run
   * beside it listen there.
   *
   * <p>Several NodeManagers of one host need ports of their ShuffleHandlers that differ by 7 or
   * more, and not by 994 to 1,006 or by 1,994 to 2,006.
   */
  public static final class ControlPorts {
    private static final int GROUPS = 3;
    private static final int STEP = 1_000;
    private static final int PORTS_BEHIND = 6;
    private static final int MAX_PORT = 65_535;

    private ControlPorts() {}

    /**
     * All control ports, in the order in which they are tried.
     *
     * @param offset {@link NodeSettings#PORT_OFFSET}
     * @throws IOException if all of them are above the highest port
     */
    public static List<Integer> of(int shufflePort, int offset) throws IOException {
      List<Integer> ports =
          IntStream.range(0, GROUPS)
              .map(group -> shufflePort + offset + group * STEP)
              .filter(port -> port + PORTS_BEHIND <= MAX_PORT)
              .boxed()
              .toList();
      if (ports.isEmpty()) {
        throw new IOException(
            "the ShuffleHandler's port is %s, and %s, which is %s, leaves no room for Sluice's %s ports: lower it"
                .formatted(shufflePort, NodeSettings.PORT_OFFSET.name(), offset, PORTS_BEHIND + 1));
      }
      return ports;
    }
  }
}
