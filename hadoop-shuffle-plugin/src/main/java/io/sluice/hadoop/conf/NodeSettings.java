package io.sluice.hadoop.conf;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.conf.LimitSettings;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.TransportSetting;
import java.util.List;
import java.util.OptionalInt;

/** The settings of a NodeManager's service. */
public final class NodeSettings {
  /** The value of {@link #POOL_ALLOCATION} for all at once. */
  public static final String AT_START = "start";

  /** The pool's directory. */
  public static final Setting<String> POOL_DIR =
      Setting.text(
          "sluice.pool.dir",
          "",
          "`/dev/shm/sluice-USER-PORT`",
          "Directory of the service: its pool of memory-mapped segments, its socket and its record"
              + " of applications. It can be on any mount whose files can be written and mapped:"
              + " tmpfs, DAX, NVMe. A directory of hugetlbfs, or a device-DAX device such as"
              + " `/dev/dax0.0`, holds the pool alone; the rest stays at the default. Only the"
              + " NodeManager's user can read it.");

  /** All that the service takes. */
  public static final Setting<Integer> NODE_MEMORY_MB =
      Setting.integer(
          "sluice.node.memory-mb",
          1024,
          1,
          1 << 24,
          "Memory of the node for shuffling outside the containers, in MiB: the memory tier of the"
              + " pool, bounce buffers and buffers of disks. Subtract it from"
              + " `yarn.nodemanager.resource.memory-mb` ([Sizing a node](sizing.md)).");

  /** Size of the memory tier. */
  public static final Setting<OptionalInt> POOL_CAPACITY_MB =
      Setting.optionalInteger(
          "sluice.pool.capacity-mb",
          "the rest of `sluice.node.memory-mb`",
          0,
          1 << 24,
          "Size of the memory tier alone, in MiB, instead of `sluice.node.memory-mb`. It is for a"
              + " pool outside the node's memory, such as one on a DAX device or an NVMe disk. 0 for"
              + " no memory tier.");

  /** When the memory tier is allocated. */
  public static final Setting<String> POOL_ALLOCATION =
      Setting.choice(
          "sluice.pool.allocation",
          "When the memory tier is allocated. `start`: all of it when the service starts, so that"
              + " missing memory shows at once and no map task waits. `demand`: one segment at a"
              + " time, as map outputs need it.",
          AT_START,
          "demand");

  /** Size of a segment. */
  public static final Setting<Integer> POOL_SEGMENT_MB =
      Setting.integer(
          "sluice.pool.segment-mb",
          64,
          1,
          1024,
          "Size of one segment, in MiB. A segment is mapped, faulted in and registered at once.");

  /** The disk tier. */
  public static final Setting<String> POOL_OVERFLOW_DIRS =
      Setting.text(
          "sluice.pool.overflow-dirs",
          "",
          "`sluice-overflow` in each of `yarn.nodemanager.local-dirs`",
          "Directories of the disk tier, comma separated. The disk tier takes data when the memory"
              + " tier is full. `none` for no disk tier.");

  /** Bound of the disk tier. */
  public static final Setting<Integer> POOL_OVERFLOW_CAPACITY_MB =
      Setting.integer(
          "sluice.pool.overflow-capacity-mb",
          0,
          0,
          Integer.MAX_VALUE,
          "Size of the disk tier, in MiB; 0 for as much as its file systems have. In both cases a"
              + " disk stays 1 GiB below the use that YARN's disk health checker calls full"
              + " (`yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage`,"
              + " `min-free-space-per-disk-mb`).");

  /** Copies of outputs on disk. */
  public static final Setting<Boolean> BACKGROUND_COPY =
      Setting.bool(
          "sluice.disk.background-copy",
          false,
          "Whether map outputs in memory are copied to the disk tier while the disk is idle. Their"
              + " memory can then be freed at once. With `yarn.nodemanager.recovery.enabled` they"
              + " survive a loss of the memory, such as a reboot. Every byte is written once.");

  /** How the pool is written. */
  public static final Setting<String> POOL_MEDIUM =
      Setting.text(
          "sluice.pool.medium",
          "auto",
          "auto",
          "How tasks write to the pool: `plain` mapping, the JDK's synchronous mapping of"
              + " persistent memory (`sync`), `libpmem`, or stores to a DAX device flushed by"
              + " libpmem (`devdax`). `auto` takes devdax for a device, sync on a DAX mount, and"
              + " plain elsewhere.");

  /** The transports served. */
  public static final Setting<String> TRANSPORT =
      TransportSetting.of(
          "sluice.service.transport",
          "Transports that the service offers to reducers. `auto`: all that work here. A name: that"
              + " transport, and tcp for segments that it cannot serve.");

  /** Memory for what a NIC cannot register. */
  public static final Setting<Integer> BOUNCE_BUFFER_MB =
      Setting.integer(
          "sluice.service.bounce-buffer-mb",
          16,
          0,
          1024,
          "Registered memory, in MiB for each RDMA transport. Through it the service serves segments"
              + " that the NIC cannot register, such as a pool on fs-DAX or the disk tier. It is"
              + " allocated when it is first needed. 0 for none; such segments are then read over"
              + " tcp.");

  /** Where the service listens, relative to stock's port. */
  public static final Setting<Integer> PORT_OFFSET =
      Setting.integer(
          "sluice.service.port-offset",
          4_000,
          1,
          10_000,
          "The service's control port is mapreduce.shuffle.port plus this; its transports listen"
              + " at the next ports. Where one of them is taken, the service listens 1,000 or 2,000"
              + " ports further on. Reducers look for it at the same ports, so jobs need the same"
              + " value.");

  /** Where its transports listen. */
  public static final Setting<DataAddress> DATA_ADDRESS =
      DataAddress.setting(
          "sluice.service.data-address",
          "Where the service's transports listen: "
              + DataAddress.FORMS
              + ". Reducers ask for it at the control port, which listens at every address. The"
              + " service does not start unless the value means exactly one address of its node.");

  /** The value of {@link #USERS} for the NodeManager's user alone. */
  public static final String OWN_USER = "own";

  /** The value of {@link #USERS} for everybody. */
  public static final String ALL_USERS = "all";

  /** Whose tasks are served. */
  public static final Setting<String> USERS =
      Setting.choice(
          "sluice.service.users",
          "Users whose tasks the service serves. `own`: the NodeManager's user; tasks of others use"
              + " the stock shuffle. `all`: every user, each for the applications that YARN started"
              + " here for that user. `auto`: `own` with `DefaultContainerExecutor`, under which"
              + " there are no others; else `all`.",
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
          "How long a node keeps a user's [files in its memory](cluster-files.md) while no task and"
              + " no reader of that user connects. So it frees files that were deleted while the"
              + " node was down.");

  /** How many connections it takes. */
  public static final LimitSettings LIMITS = LimitSettings.HADOOP;

  private NodeSettings() {}

  /** The documented settings, in the order of the documentation. */
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
}
