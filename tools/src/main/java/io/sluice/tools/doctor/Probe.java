package io.sluice.tools.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.node.probe.Prober;
import io.sluice.node.probe.Prober.ProbePlan;
import io.sluice.node.probe.Prober.ProbeResult;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceContext.Probes;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.text.HostAndPort;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.text.TextTable;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of reads from another host's node service over every transport.
 *
 * @param host the other host
 * @param port the control port of its service
 * @param transports one result for each transport
 */
public record Probe(String host, int port, List<Way> transports) {
  private static final long TIMEOUT_MS = 15_000;

  /**
   * The result over one transport.
   *
   * @param transport the transport's name
   * @param speed the speed; null if the transport does not work between the hosts
   * @param cause why it does not work; empty if it works
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Way(String transport, ProbeResult.Speed speed, String cause) {
    private String failure() {
      String name = transport + ": ";
      return cause.startsWith(name)
          ? cause
          : name + cause; // most messages of transports begin with the name
    }
  }

  /** Reads from a host over every transport. */
  public static Probe of(HostPort other) throws IOException {
    Prober prober =
        new Prober(TransportChooser.standard().providers(), ProbePlan.STANDARD, TIMEOUT_MS);
    return of(other, prober.probe(new InetSocketAddress(other.host(), other.port())));
  }

  static Probe of(HostPort other, List<ProbeResult> results) {
    return new Probe(
        other.host(),
        other.port(),
        results.stream()
            .map(result -> new Way(result.transport(), result.speed().orElse(null), result.cause()))
            .toList());
  }

  /** Whether any transport works. */
  public boolean anyWorks() {
    return transports.stream().anyMatch(way -> way.speed() != null);
  }

  /** A table of the transports that work, and below it why the others do not. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    if (anyWorks()) {
      text.append(
          "Reads from %s; \"x tcp\" is the speed relative to tcp\n"
              .formatted(HostAndPort.of(host, port)));
      text.append(table());
    } else {
      text.append(
          "No transport works between this host and %s:\n".formatted(HostAndPort.of(host, port)));
    }
    transports.stream()
        .filter(way -> way.speed() == null)
        .forEach(way -> text.append(way.failure()).append('\n'));
    return text.toString().stripTrailing();
  }

  private String table() {
    List<Way> working = transports.stream().filter(way -> way.speed() != null).toList();
    Optional<ProbeResult.Speed> tcp =
        working.stream()
            .filter(way -> way.transport().equals(TransportNames.TCP))
            .map(Way::speed)
            .findFirst();
    ProbeResult.Speed plan = working.get(0).speed();
    TextTable table =
        new TextTable(
            List.of(
                "transport",
                "%s: median".formatted(ByteSize.of(plan.latencyBytes())),
                "p99",
                "x tcp",
                "%s, %s at a time".formatted(ByteSize.of(plan.bandwidthBytes()), plan.inFlight()),
                "x tcp"));
    for (Way way : working) {
      ProbeResult.Speed speed = way.speed();
      table.add(
          List.of(
              way.transport(),
              micros(speed.medianNs()),
              micros(speed.p99Ns()),
              ratio(tcp.map(t -> (double) t.medianNs() / speed.medianNs())),
              "%s/s".formatted(ByteSize.of(speed.bytesPerSecond())),
              ratio(tcp.map(t -> (double) speed.bytesPerSecond() / t.bytesPerSecond()))));
    }
    return table.toText();
  }

  private static String micros(long ns) {
    return String.format(Locale.ROOT, "%.1f us", ns / 1e3);
  }

  private static String ratio(Optional<Double> ratio) {
    return ratio.map(r -> String.format(Locale.ROOT, "%.2f", r)).orElse("-");
  }

  /**
   * The address of a node service on the command line: {@code host}, {@code host:port} or {@code
   * [::1]:port}.
   *
   * @param host its name or address
   * @param port the port of control connections
   */
  public record HostPort(String host, int port) {
    /** The ShuffleHandler's default port plus the default of sluice.service.port-offset. */
    public static final int DEFAULT_PORT = 17562;

    private static final Pattern FORM =
        Pattern.compile("(?:\\[(?<v6>[^\\]]+)\\]|(?<name>[^:\\[\\]]+))(?::(?<port>\\d{1,5}))?");

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text has none of these forms
     */
    public static HostPort parse(String text) {
      Matcher matcher = FORM.matcher(text);
      if (matcher.matches()) {
        String digits = matcher.group("port");
        int port = digits == null ? DEFAULT_PORT : Integer.parseInt(digits);
        if (port >= 1 && port <= 65_535) {
          String name = matcher.group("name");
          return new HostPort(name == null ? matcher.group("v6") : name, port);
        }
      }
      throw new IllegalArgumentException(
          "\"%s\" is not HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535"
              .formatted(text));
    }
  }

  /**
   * A node service with a minimal pool, which other hosts can probe before there is a cluster.
   *
   * <p>Thread contract: safe from any thread. Ownership: the caller of {@link #start} closes it;
   * closing deletes its directory.
   */
  public static final class ProbeService implements Closeable {
    private static final int POOL_BYTES = 1 << 20;

    private final Path directory;
    private final NodeService service;

    private ProbeService(Path directory, NodeService service) {
      this.directory = directory;
      this.service = service;
    }

    /** Starts a service at a control port; 0 takes a free one. */
    static ProbeService start(int controlPort, List<TransportProvider> transports)
        throws IOException {
      Path memory = PoolCandidate.DEFAULT;
      Path directory =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "sluice-probe-")
              : Files.createTempDirectory("sluice-probe-");
      try {
        return new ProbeService(
            directory,
            NodeService.start(
                ServiceContext.at(
                        ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED), POOL_BYTES)
                    .segments(POOL_BYTES, POOL_BYTES)
                    .medium("plain")
                    .transports(transports)
                    .listen(controlPort)
                    .probes(Probes.ALL)));
      } catch (IOException | RuntimeException e) {
        PrivateDirectory.delete(directory);
        throw e;
      }
    }

    int port() {
      return service.metadata().address().controlPort();
    }

    /** Serves until the process is interrupted or killed. */
    public static void serve(int controlPort) throws IOException {
      List<TransportProvider> transports =
          TransportChooser.standard().providers().stream()
              .filter(TransportProvider::isAvailable)
              .toList();
      ProbeService service = start(controlPort, transports);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> closeAtExit(service)));
      System.out.println(
          "Ready for doctor --probe HOST:%s over %s, until interrupted"
              .formatted(
                  service.port(),
                  String.join(", ", transports.stream().map(TransportProvider::name).toList())));
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private static void closeAtExit(ProbeService service) {
      try {
        service.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        service.close();
      } finally {
        PrivateDirectory.delete(directory);
      }
    }
  }
}
