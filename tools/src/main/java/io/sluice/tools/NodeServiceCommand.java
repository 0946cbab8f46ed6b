package io.sluice.tools;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.Setting.Units;
import io.sluice.node.conf.SettingNames;
import io.sluice.node.conf.VerbsSettings;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceContext.Probes;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.node.socket.DiscoveryFile;
import io.sluice.node.socket.ServiceFile;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.verbs.VerbsNetwork;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.StoreConfig;
import io.sluice.tools.Tools.ToolsVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The command {@code node-service}: runs a node's service as a process of its own, for Spark's
 * standalone clusters and Kubernetes. It serves the applications of the user who starts it.
 *
 * <p>A signal ends it. Its pool stays for the next service in the same directory.
 */
@Command(
    name = NodeServiceCommand.NAME,
    description = "Keeps and serves the map outputs of a node's Spark executors.",
    mixinStandardHelpOptions = true,
    versionProvider = ToolsVersion.class,
    showDefaultValues = true)
public final class NodeServiceCommand implements Callable<Integer> {
  static final String NAME = "node-service";
  private static final String MEMORY = "--memory";
  private static final String CAPACITY = "--capacity";
  private static final String DATA_BIND = "--data-bind";
  private static final String VERBS = "--verbs";
  private static final Logger LOG = LoggerFactory.getLogger(NodeServiceCommand.class);
  private static final long JANITOR_PERIOD_MS = 60_000;
  private static final long DEFAULT_MEMORY_BYTES = 1L << 30;
  private static final long BOUNCE_BYTES = 16L << 20;

  /** A service that works answers in milliseconds, and one on a crowded machine in a second. */
  private static final long ANSWER_TIMEOUT_MS = 2_000;

  /** For two answers, and for what the file system does. */
  static final long HEALTH_DEADLINE_MS = 5_000;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      required = true,
      description =
          "Directory for the socket and the pool. Applications name it in spark.sluice.service.")
  private Path directory;

  @Option(
      names = MEMORY,
      paramLabel = "SIZE",
      converter = AmountConverter.Bytes.class,
      description =
          "Memory that the shuffle takes on the node outside executors: the memory tier, bounce"
              + " buffers and buffers of disks (default: 1g).")
  private Long memoryBytes; // null: DEFAULT_MEMORY_BYTES

  @Option(
      names = CAPACITY,
      paramLabel = "SIZE",
      converter = AmountConverter.Bytes.class,
      description =
          "Size of the memory tier alone, instead of "
              + MEMORY
              + ": for a pool that is not in the node's memory.")
  private Long capacityBytes; // null: the rest of the memory

  @Option(
      names = "--allocation",
      paramLabel = "WHEN",
      defaultValue = "start",
      description =
          "When the memory tier is allocated: all of it at the start, or one segment at a time on"
              + " demand. One of ${COMPLETION-CANDIDATES}.")
  private Allocation allocation;

  @Option(
      names = "--segment-size",
      paramLabel = "SIZE",
      defaultValue = "64m",
      converter = AmountConverter.SegmentBytes.class,
      description = "Size of a segment, from 1m to 1g.")
  private int segmentBytes;

  @Option(
      names = "--medium",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "How the pool is written: plain mapping (plain), the JDK's synchronous mapping of NVM (sync)"
              + " or libpmem. auto takes sync where the mount is DAX, and plain elsewhere.")
  private String medium;

  @Option(
      names = "--overflow-dirs",
      paramLabel = "DIR",
      split = ",",
      description =
          "Directories for outputs that have no room in memory (default: none). Give no directory"
              + " that is cleaned while the service runs, as the system's temporary one often is.")
  private List<Path> overflowDirectories; // null: none

  @Option(
      names = "--background-copy",
      description =
          "Copy outputs to the overflow directories when nothing else uses the disk. Such outputs"
              + " survive a reboot, and their memory can be freed at once.")
  private boolean backgroundCopy;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = TransportChooser.AUTO,
      description =
          TransportChooser.AUTO
              + ", "
              + TransportNames.VERBS
              + ", "
              + TransportNames.UCX
              + ", "
              + TransportNames.DISNI
              + " or "
              + TransportNames.TCP
              + ". The service also serves over "
              + TransportNames.TCP
              + ".")
  private String transport;

  @Option(
      names = VERBS,
      paramLabel = "NAME=VALUE",
      split = ",",
      description =
          "How the transport verbs uses the network: traffic-class, service-level, partition-key,"
              + " timeout-code, retry-count, mtu or on-demand-paging, for example"
              + " traffic-class=104. The values are those of a NodeManager's settings"
              + " sluice.service.verbs-NAME.")
  private Map<String, String> verbsValues; // null: none

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "0.0.0.0",
      description = "Address to listen at.")
  private InetAddress bindAddress;

  @Option(
      names = DATA_BIND,
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      paramLabel = "ADDRESS",
      defaultValue = "",
      description =
          "Where transports listen: an address, a network interface (ib0) or a subnet"
              + " (10.1.0.0/16). Several with commas between them are rails, which verbs uses side"
              + " by side. Without it they listen at the address of --bind.")
  private String dataAddress;

  @Option(
      names = "--host",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      paramLabel = "HOST",
      defaultValue = "",
      description =
          "Host name or address at which other nodes reach this service. Without it they use that of its executors.")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "13600",
      description =
          "Port of the service; its transports listen at the next ones. 0 takes any free port.")
  private int port;

  @Option(
      names = "--keep",
      paramLabel = "TIME",
      defaultValue = "60min",
      converter = AmountConverter.Ms.class,
      description =
          "Forget an application when neither a task nor a reader of it has come for so long.")
  private long keepMs;

  @Option(
      names = "--max-connections",
      paramLabel = "COUNT",
      defaultValue = "2048",
      description =
          "Maximum of executors, of readers and, for each transport, of data connections at a time.")
  private int maxConnections;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description =
          "Port where Prometheus reads metrics, at /metrics, and where /healthz says whether the"
              + " service can serve. 0 takes any free port; without it there is neither.")
  private Integer metricsPort; // null: nowhere

  @Option(
      names = "--metrics-bind",
      paramLabel = "ADDRESS",
      description = "Address of the metrics port (default: that of --bind).")
  private InetAddress metricsBindAddress; // null: that of the service

  private final DiscoveryFile removedAddress =
      new DiscoveryFile(
          "the file in --dir that tells executors of this service",
          "Executors that start now do not find the service until that is fixed");
  private boolean closed;

  /** The values of --allocation, in the notation of the command line. */
  private enum Allocation {
    start,
    demand
  }

  NodeServiceCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    NodeService service = start();
    MetricsEndpoint metrics;
    try {
      metrics = openMetrics(service);
    } catch (IOException e) {
      close(service);
      throw e;
    }
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  ended.countDown();
                  if (metrics == null) {
                    close(service);
                  } else {
                    metrics.stopping();
                    close(service);
                    metrics.close(); // until then it says that the service stops
                  }
                },
                "close-sluice-service"));
    System.out.printf(
        "Serving %s on port %s over %s%n",
        directory, service.metadata().address().controlPort(), service.endpoints().listening());
    if (metrics != null) {
      System.out.printf("Metrics for Prometheus on port %s%n", metrics.port());
    }
    while (!ended.await(JANITOR_PERIOD_MS, TimeUnit.MILLISECONDS)) {
      restoreRemoved(service);
      removeLeftovers(service);
    }
    return CommandLine.ExitCode.OK;
  }

  /** Starts to serve metrics; null without --metrics-port. */
  MetricsEndpoint openMetrics(NodeService service) throws IOException {
    return metricsPort == null
        ? null
        : MetricsEndpoint.open(
            sink -> NodeMetrics.read(service, sink),
            new HealthCheck(() -> trouble(service), HEALTH_DEADLINE_MS),
            metricsBindAddress == null ? bindAddress : metricsBindAddress,
            metricsPort);
  }

  /**
   * Why new writers and readers cannot be served, in plain words; empty if they can. Makes what was
   * removed again, if that is possible.
   */
  Optional<String> trouble(NodeService service) {
    restoreAddress(service);
    ServiceAddress address = service.metadata().address();
    InetAddress control =
        bindAddress.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bindAddress;
    return service
        .trouble()
        .or(removedAddress::trouble)
        .or(
            () ->
                HealthCheck.unanswered(
                    UnixDomainSocketAddress.of(address.socket()),
                    "the socket at which executors connect",
                    ANSWER_TIMEOUT_MS))
        .or(
            () ->
                HealthCheck.unanswered(
                    new InetSocketAddress(control, address.controlPort()),
                    "the port at which readers connect",
                    ANSWER_TIMEOUT_MS));
  }

  /** Starts the service, and writes the file by which executors of this node find it. */
  NodeService start() throws IOException {
    NodeService service = open();
    try {
      writeAddress(service);
      return service;
    } catch (IOException | RuntimeException e) {
      service.close();
      throw e;
    }
  }

  private void writeAddress(NodeService service) throws IOException {
    ServiceFile.write(directory, service.metadata().address().at(host));
  }

  private NodeService open() throws IOException {
    return NodeService.start(
        sized(ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED))
            .wholeAtStart(allocation == Allocation.start)
            .segments(segmentBytes)
            .overflow(overflowOfUser(), 0)
            .backgroundCopy(backgroundCopy)
            .settingNames(
                "--dir",
                new StoreConfig.SettingNames(
                    capacityBytes == null ? MEMORY : CAPACITY,
                    "--overflow-dirs",
                    "--overflow-dirs"))
            .medium(medium)
            .transport(transport)
            .verbsNetwork(verbsNetwork())
            .listen(bindAddress, port)
            .dataAddress(new DataAddress(DATA_BIND, dataAddress.trim()))
            .host(host.isEmpty() ? null : () -> host)
            .bounceMemory(BOUNCE_BYTES)
            .limits(limits())
            .probes(Probes.CONFINED)
            .recover(true));
  }

  private ServiceContext sized(ServiceDirectories directories) throws IOException {
    if (memoryBytes != null && capacityBytes != null) {
      throw new IOException(MEMORY + " and " + CAPACITY + " exclude each other; give one of them");
    }
    return capacityBytes == null
        ? ServiceContext.within(
            directories, memoryBytes == null ? DEFAULT_MEMORY_BYTES : memoryBytes)
        : ServiceContext.at(directories, capacityBytes);
  }

  private VerbsNetwork verbsNetwork() {
    String prefix = VERBS + " ";
    Map<String, String> given = new HashMap<>();
    if (verbsValues != null) {
      verbsValues.forEach((name, value) -> given.put(prefix + name.trim(), value.trim()));
    }
    VerbsSettings settings = VerbsSettings.withPrefix(prefix);
    Set<String> known = settings.all().stream().map(Setting::name).collect(Collectors.toSet());
    List<String> complaints = new SettingNames(known, Map.of()).complaints(given.keySet());
    if (!complaints.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", complaints));
    }
    return settings.get(given::get);
  }

  private ConnectionLimits limits() {
    ConnectionLimits defaults = ConnectionLimits.DEFAULT;
    return new ConnectionLimits(
        maxConnections,
        defaults.maxUnauthenticated(),
        defaults.authenticationTimeoutMs(),
        defaults.idleTimeoutMs());
  }

  private List<Path> overflowOfUser() throws IOException {
    String name = "sluice-overflow-" + Owner.nameOfThisProcess();
    return overflowDirectories == null
        ? List.of()
        : overflowDirectories.stream().map(parent -> parent.resolve(name)).toList();
  }

  /**
   * Restores the socket and the file by which executors find the service, if they were removed, and
   * has the service look around.
   */
  void restoreRemoved(NodeService service) {
    service.lookAround();
    restoreAddress(service);
  }

  private synchronized void restoreAddress(NodeService service) {
    if (!closed) { // else it was removed on purpose
      removedAddress.restore(
          () -> {
            boolean isGone = ServiceFile.isGone(directory);
            if (isGone) {
              writeAddress(service);
            }
            return isGone;
          });
    }
  }

  /** Removes the outputs of applications whose driver was killed and did not report their end. */
  void removeLeftovers(NodeService service) {
    try {
      for (String each : service.applications().notHeardOf(keepMs)) {
        LOG.info("Removing {}: none of its processes has connected for {} s", each, keepMs / 1_000);
        remove(service, each);
      }
    } catch (RuntimeException | Error e) { // else this thread and the service end
      SafeLog.error(LOG, "The search for ended applications in {} failed", directory, e);
    }
  }

  private static void remove(NodeService service, String application) {
    try {
      service.applicationStopped(application);
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.error(LOG, "Not all outputs of {} could be removed", application, e);
    }
  }

  /** Ends the service, and leaves its pool for the next one. */
  synchronized void close(NodeService service) {
    closed = true;
    try (service) {
      ServiceFile.remove(directory);
      LOG.info(
          "The pool in {} stays for the next service that starts there. If there will be none,"
              + " remove that directory and {}",
          directory,
          overflowOfUser());
    } catch (IOException e) {
      LOG.warn("The service did not close cleanly", e);
    }
  }

  /** Converters of options whose values have a unit; {@link Units} parses them. */
  static final class AmountConverter {
    private AmountConverter() {}

    /** A size in whole MiB, such as {@code 64m}. */
    static final class Bytes implements ITypeConverter<Long> {
      private static final long MIB = 1 << 20;

      @Override
      public Long convert(String text) {
        OptionalLong bytes = Units.bytes(text);
        if (bytes.isEmpty() || bytes.getAsLong() % MIB != 0) {
          throw refused(text, "a size in whole MiB with its unit, such as 64m");
        }
        return bytes.getAsLong();
      }
    }

    /** The size of a segment, which one mapping covers. */
    static final class SegmentBytes implements ITypeConverter<Integer> {
      private static final long MAX = 1 << 30;

      @Override
      public Integer convert(String text) {
        long bytes = new Bytes().convert(text);
        if (bytes < Bytes.MIB || bytes > MAX) {
          throw refused(text, "a size from 1m to 1g");
        }
        return (int) bytes;
      }
    }

    /** A time, such as {@code 60min}. */
    static final class Ms implements ITypeConverter<Long> {
      @Override
      public Long convert(String text) {
        return Units.ms(text)
            .orElseThrow(() -> refused(text, "a time with its unit, such as 60min"));
      }
    }

    private static TypeConversionException refused(String text, String expected) {
      return new TypeConversionException("'" + text + "', expected " + expected);
    }
  }
}
