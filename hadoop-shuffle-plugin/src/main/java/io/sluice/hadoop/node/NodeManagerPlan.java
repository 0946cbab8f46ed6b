package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.conf.NodeSettings.ControlPorts;
import io.sluice.hadoop.conf.UnknownSettings;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.PortPlan;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceContext.Probes;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreConfig.DiskReserve;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a service of a NodeManager's configuration. Stateless. */
public final class NodeManagerPlan {
  /**
   * Stock's key and default, written out because the ShuffleHandler's class moves its port here.
   */
  public static final String SHUFFLE_PORT = "mapreduce.shuffle.port";

  static final int DEFAULT_SHUFFLE_PORT = 13562;

  private static final Logger LOG = LoggerFactory.getLogger(NodeManagerPlan.class);
  private static final String NO_OVERFLOW = "none";

  /** Hadoop 3.3.6 and later have these two; YARN's class has no constants for them in all. */
  private static final String DISK_UTILIZATION_ENABLED =
      "yarn.nodemanager.disk-health-checker.disk-utilization-threshold.enabled";

  private static final String DISK_FREE_SPACE_ENABLED =
      "yarn.nodemanager.disk-health-checker.disk-free-space-threshold.enabled";

  private static final long ABOVE_FULL_BYTES = 1L << 30;

  private NodeManagerPlan() {}

  /** Starts a service with an empty pool. */
  static NodeService start(Configuration conf, ContainerUsers users) throws IOException {
    return start(conf, users, false, 0);
  }

  /**
   * Starts the service at the first of its {@link ControlPorts} that is free together with the
   * ports behind it. If there is none, it starts at the first free port, without the transports
   * that cannot listen behind it: an RDMA library may say that a port is taken for another reason.
   *
   * @param recover whether to recover the pool from before the restart
   * @param formerPort the port from before the restart, where readers look: tried first; 0 if there
   *     is none
   * @throws IOException with the reason why the service cannot start
   */
  static NodeService start(
      Configuration conf, ContainerUsers users, boolean recover, int formerPort)
      throws IOException {
    UnknownSettings.refuse(conf);
    List<Integer> ports =
        new ArrayList<>(
            ControlPorts.of(shufflePort(conf), NodeSettings.PORT_OFFSET.get(conf::getTrimmed)));
    if (ports.remove((Integer) formerPort)) {
      ports.add(0, formerPort);
    }
    return firstFree(
        ports,
        List.of(
            port -> NodeService.start(of(conf, users, recover).listen(port).needsAllPorts()),
            port -> NodeService.start(of(conf, users, recover).listen(port))));
  }

  /** Starts something at a port. */
  interface Start<T> {
    T at(int port) throws IOException;
  }

  /** Tries the first way at each port, and the next way only if no port was free for it. */
  static <T> T firstFree(List<Integer> ports, List<Start<T>> ways) throws IOException {
    IOException taken = null;
    for (Start<T> way : ways) {
      for (int port : ports) {
        try {
          return way.at(port);
        } catch (IOException e) {
          if (!PortPlan.isConflict(e)) {
            throw e;
          }
          LOG.warn("A port that Sluice's service would listen at is taken: {}", ErrorText.of(e));
          taken = taken == null ? e : taken;
        }
      }
    }
    throw taken;
  }

  /** The directory of the service of this configuration, with its socket. */
  static Path directory(Configuration conf) throws IOException {
    return place(conf).directory();
  }

  private static int shufflePort(Configuration conf) throws IOException {
    int shufflePort = conf.getInt(SHUFFLE_PORT, DEFAULT_SHUFFLE_PORT);
    if (shufflePort == 0) {
      throw new IOException(
          SHUFFLE_PORT
              + " is 0, so that reducers could not know where Sluice listens; set a fixed port");
    }
    return shufflePort;
  }

  private static ServiceContext of(Configuration conf, ContainerUsers users, boolean recover)
      throws IOException {
    UnaryOperator<String> settings = conf::getTrimmed;
    ServiceContext service = common(conf, settings, recover);
    return servesOthers(settings, users) ? service.users(users) : service;
  }

  private static boolean servesOthers(UnaryOperator<String> settings, ContainerUsers users) {
    return switch (NodeSettings.USERS.get(settings)) {
      case NodeSettings.ALL_USERS -> true;
      case NodeSettings.OWN_USER -> false;
      default -> users.mayBeOthers();
    };
  }

  private static ServiceContext common(
      Configuration conf, UnaryOperator<String> settings, boolean recover) throws IOException {
    return sized(settings, place(conf))
        .wholeAtStart(NodeSettings.POOL_ALLOCATION.get(settings).equals(NodeSettings.AT_START))
        .segments(NodeSettings.POOL_SEGMENT_MB.get(settings) << 20)
        .overflow(
            overflowDirectories(conf),
            (long) NodeSettings.POOL_OVERFLOW_CAPACITY_MB.get(settings) << 20,
            diskReserve(conf))
        .backgroundCopy(NodeSettings.BACKGROUND_COPY.get(settings))
        .settingNames(
            NodeSettings.POOL_DIR.name(),
            new StoreConfig.SettingNames(
                memorySetting(settings),
                NodeSettings.POOL_OVERFLOW_DIRS.name(),
                NodeSettings.POOL_OVERFLOW_CAPACITY_MB.name()))
        .medium(NodeSettings.POOL_MEDIUM.get(settings))
        .transport(NodeSettings.TRANSPORT.get(settings))
        .verbsNetwork(NodeSettings.VERBS.get(settings))
        .dataAddress(NodeSettings.DATA_ADDRESS.get(settings))
        .host(() -> host(conf))
        .bounceMemory((long) NodeSettings.BOUNCE_BUFFER_MB.get(settings) << 20)
        .limits(NodeSettings.LIMITS.get(settings))
        .probes(Probes.CONFINED)
        .lendToSort(lendsToSort(conf))
        .recover(recover);
  }

  /** The host name of the NodeManager, which reducers learn with each map output. */
  static String host(Configuration conf) {
    InetSocketAddress own =
        NetUtils.getConnectAddress(
            conf.getSocketAddr(
                YarnConfiguration.NM_ADDRESS,
                YarnConfiguration.DEFAULT_NM_ADDRESS,
                YarnConfiguration.DEFAULT_NM_PORT));
    return own.isUnresolved() ? own.getHostString() : own.getAddress().getCanonicalHostName();
  }

  private static boolean lendsToSort(Configuration conf) {
    List<String> countedBy = MappedPages.countedBy(conf);
    if (!countedBy.isEmpty()) {
      LOG.info(
          "Maps sort in their own buffers alone and borrow no memory of the node, which YARN would"
              + " count as their containers': {}",
          String.join(", and ", countedBy));
    }
    return countedBy.isEmpty();
  }

  private static ServiceContext sized(UnaryOperator<String> settings, ServiceDirectories place)
      throws IOException {
    OptionalInt tierMb = NodeSettings.POOL_CAPACITY_MB.get(settings);
    int totalMb = NodeSettings.NODE_MEMORY_MB.get(settings);
    if (tierMb.isPresent() && settings.apply(NodeSettings.NODE_MEMORY_MB.name()) != null) {
      throw new IOException(
          "%s and %s are both set, and say the same in two ways; remove the first, unless the pool is"
                  .formatted(
                      NodeSettings.POOL_CAPACITY_MB.name(), NodeSettings.NODE_MEMORY_MB.name())
              + " no memory of this node");
    }
    return tierMb.isPresent()
        ? ServiceContext.at(place, (long) tierMb.getAsInt() << 20)
        : ServiceContext.within(place, (long) totalMb << 20);
  }

  private static String memorySetting(UnaryOperator<String> settings) {
    return NodeSettings.POOL_CAPACITY_MB.get(settings).isPresent()
        ? NodeSettings.POOL_CAPACITY_MB.name()
        : NodeSettings.NODE_MEMORY_MB.name();
  }

  private static ServiceDirectories place(Configuration conf) throws IOException {
    Path standard =
        Path.of("/dev/shm", "sluice-" + Owner.nameOfThisProcess() + "-" + shufflePort(conf));
    String configured = NodeSettings.POOL_DIR.get(conf::getTrimmed);
    return ServiceDirectories.of(
        configured.isEmpty() ? standard : ofThisHost(NodeSettings.POOL_DIR.name(), configured),
        standard);
  }

  private static List<Path> overflowDirectories(Configuration conf) throws IOException {
    String configured = NodeSettings.POOL_OVERFLOW_DIRS.get(conf::getTrimmed);
    List<Path> directories = new ArrayList<>();
    if (configured.equals(NO_OVERFLOW)) {
      return directories;
    }
    if (!configured.isEmpty()) {
      for (String directory : StringUtils.getTrimmedStrings(configured)) {
        directories.add(ofThisHost(NodeSettings.POOL_OVERFLOW_DIRS.name(), directory));
      }
      return directories;
    }
    for (String localDir :
        StringUtils.getTrimmedStrings(
            conf.get(YarnConfiguration.NM_LOCAL_DIRS, YarnConfiguration.DEFAULT_NM_LOCAL_DIRS))) {
      directories.add(
          ofThisHost(YarnConfiguration.NM_LOCAL_DIRS, localDir).resolve("sluice-overflow"));
    }
    return directories;
  }

  /** Takes a path or a URI of the local file system, as YARN does for its own directories. */
  private static Path ofThisHost(String setting, String directory) throws IOException {
    URI uri;
    try {
      uri = new org.apache.hadoop.fs.Path(directory).toUri();
    } catch (IllegalArgumentException e) {
      throw new IOException(setting + " has '" + directory + "', which is no path", e);
    }
    if ((uri.getScheme() != null && !uri.getScheme().equals("file"))
        || !uri.getPath().startsWith("/")) {
      throw new IOException(
          "%s has '%s', expected an absolute path on this host, with or without file://"
              .formatted(setting, directory));
    }
    return Path.of(uri.getPath());
  }

  /**
   * How much room the disk tier of this NodeManager leaves free. YARN's disk health checker calls a
   * node unhealthy whose local or log directories are nearly all on full disks, kills its
   * containers and runs their maps again elsewhere. So the disk tier stops before that, and leaves
   * 1 GiB more for containers until the checker looks again.
   */
  static DiskReserve diskReserve(Configuration conf) {
    boolean checks = conf.getBoolean(YarnConfiguration.NM_DISK_HEALTH_CHECK_ENABLE, true);
    double fullPercent =
        checks && conf.getBoolean(DISK_UTILIZATION_ENABLED, true)
            ? conf.getFloat(
                YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE,
                YarnConfiguration.DEFAULT_NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE)
            : 100;
    long fullMb =
        checks && conf.getBoolean(DISK_FREE_SPACE_ENABLED, true)
            ? conf.getLong(
                YarnConfiguration.NM_MIN_PER_DISK_FREE_SPACE_MB,
                YarnConfiguration.DEFAULT_NM_MIN_PER_DISK_FREE_SPACE_MB)
            : 0;
    double used = Math.min(100, Math.max(0, fullPercent)); // as YARN takes what is out of range
    return new DiskReserve(ABOVE_FULL_BYTES, Math.max(0, fullMb) << 20, (100 - used) / 100);
  }

  /**
   * Tells an administrator that containers leave no room for shuffling; empty if they do, or if
   * YARN finds out by itself how much memory containers may have.
   */
  static Optional<String> memoryShortage(Configuration conf, long serviceBytes, long machineBytes) {
    int containersMb =
        conf.getInt(YarnConfiguration.NM_PMEM_MB, YarnConfiguration.DEFAULT_NM_PMEM_MB);
    if (containersMb < 0 || ((long) containersMb << 20) + serviceBytes <= machineBytes) {
      return Optional.empty();
    }
    return Optional.of(
        "%s is %s MiB, shuffling takes up to %s MiB, and this machine has %s MiB: take %s off the first"
            .formatted(
                YarnConfiguration.NM_PMEM_MB,
                containersMb,
                serviceBytes >> 20,
                machineBytes >> 20,
                NodeSettings.NODE_MEMORY_MB.name()));
  }

  /**
   * Whether YARN counts the pages of the pool that a task maps as memory of the task's container.
   * If so, it could kill the container for them.
   *
   * <pre>
   *   who checks a container's memory           counts the pool's pages
   *   the kernel (cgroups), for each container  no: they are the service's, which touched them first
   *   the kernel, for all of them (elastic)     as below: YARN goes on checking by itself
   *   nothing                                   no
   *   physical memory, by /proc                 yes
   *   physical memory, smaps-based-rss          no: it counts anonymous pages only
   *   virtual memory                            yes
   * </pre>
   *
   * <p>Thread contract: stateless.
   */
  static final class MappedPages {
    private MappedPages() {}

    /** The settings of this NodeManager that make it count the pages; none if it does not. */
    static List<String> countedBy(Configuration conf) {
      if (isKernels(conf)) {
        return List.of();
      }
      List<String> settings = new ArrayList<>();
      if (isVirtualCounted(conf)) {
        settings.add(YarnConfiguration.NM_VMEM_CHECK_ENABLED + " is on");
      }
      if (isPhysicalCounted(conf)) {
        settings.add(
            YarnConfiguration.NM_PMEM_CHECK_ENABLED
                + " is on without "
                + YarnConfiguration.PROCFS_USE_SMAPS_BASED_RSS_ENABLED);
      }
      return settings;
    }

    private static boolean isKernels(Configuration conf) {
      return conf.getBoolean(
              YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED,
              YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENABLED)
          && conf.getBoolean(
              YarnConfiguration.NM_MEMORY_RESOURCE_ENFORCED,
              YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENFORCED)
          && !conf.getBoolean(
              YarnConfiguration.NM_ELASTIC_MEMORY_CONTROL_ENABLED,
              YarnConfiguration.DEFAULT_NM_ELASTIC_MEMORY_CONTROL_ENABLED);
    }

    private static boolean isVirtualCounted(Configuration conf) {
      return conf.getBoolean(
          YarnConfiguration.NM_VMEM_CHECK_ENABLED, YarnConfiguration.DEFAULT_NM_VMEM_CHECK_ENABLED);
    }

    private static boolean isPhysicalCounted(Configuration conf) {
      boolean anonymousOnly =
          conf.getBoolean(
                  YarnConfiguration.PROCFS_USE_SMAPS_BASED_RSS_ENABLED,
                  YarnConfiguration.DEFAULT_PROCFS_USE_SMAPS_BASED_RSS_ENABLED)
              && conf.get(YarnConfiguration.NM_CONTAINER_MON_PROCESS_TREE) == null;
      return !anonymousOnly
          && conf.getBoolean(
              YarnConfiguration.NM_PMEM_CHECK_ENABLED,
              YarnConfiguration.DEFAULT_NM_PMEM_CHECK_ENABLED);
    }
  }
}
