package io.sluice.tools.doctor;

import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceContext.Probes;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A node service with a minimal pool, which other hosts can probe before there is a cluster.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller of {@link #start} closes it;
 * closing deletes its directory.
 */
public final class ProbeService implements Closeable {
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
