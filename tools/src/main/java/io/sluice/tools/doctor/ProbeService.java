package io.sluice.tools.doctor;

import io.sluice.node.service.BounceConfig;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.NodeServiceConfig;
import io.sluice.node.service.Probes;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.store.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A node service with the smallest of pools, to be probed before there is a cluster.
 *
 * <p>Ownership: whoever started it closes it; then its directory is gone.
 */
public final class ProbeService implements Closeable {
  private static final int POOL_BYTES = 1 << 20;
  private static final StoreConfig.SettingNames NO_SETTINGS =
      new StoreConfig.SettingNames("pool size", "overflow directories", "overflow size");

  private final Path directory;
  private final NodeService service;

  private ProbeService(Path directory, NodeService service) {
    this.directory = directory;
    this.service = service;
  }

  /** Starts one at a control port, or at a free one if it is 0. */
  static ProbeService start(int controlPort, List<TransportProvider> transports)
      throws IOException {
    Path memory = Places.DEFAULT;
    Path directory =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "sluice-probe-")
            : Files.createTempDirectory("sluice-probe-");
    try {
      return new ProbeService(
          directory,
          NodeService.start(
              new NodeServiceConfig(
                  directory,
                  StoreConfig.builder(directory.resolve("pool"), POOL_BYTES)
                      .geometry(POOL_BYTES, POOL_BYTES)
                      .settingNames(NO_SETTINGS),
                  "plain",
                  new InetSocketAddress(0).getAddress(),
                  controlPort,
                  transports,
                  false,
                  new BounceConfig(BounceConfig.DEFAULT_SLOT_BYTES, 0),
                  ConnectionLimits.DEFAULT,
                  Probes.ALL)));
    } catch (IOException | RuntimeException e) {
      delete(directory);
      throw e;
    }
  }

  int port() {
    return service.metadata().controlPort();
  }

  /** Serves until the process is told to end. */
  public static void serve(int controlPort) throws IOException {
    List<TransportProvider> transports =
        TransportChooser.standard().providers().stream()
            .filter(TransportProvider::isAvailable)
            .toList();
    ProbeService service = start(controlPort, transports);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> closeAtExit(service)));
    System.out.println(
        "Ready for ./sluice doctor --probe HOST:%d over %s, until interrupted"
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
      delete(directory);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
