package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.ReadStats;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestService;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/** A pool on a given kind of memory, served over a real RDMA device. */
@Timeout(300) // of an emulated CPU
abstract class LabServingTestBase extends NodeTestBase {
  private static final int OUTPUTS = 6;
  private static final int SEGMENTS = 6;

  private final String property;
  private final String kind;
  private final TransportProvider rdma = LabTransport.provider();
  private TestReporter reporter;
  private Path pool;

  LabServingTestBase(String property, String kind) {
    this.property = property;
    this.kind = kind;
  }

  @BeforeEach
  void startOnIt(TestReporter reporter) throws IOException {
    this.reporter = reporter;
    String mount = System.getProperty(property);
    Assumptions.assumeTrue(
        mount != null, "no " + kind + " here: the property " + property + " is not set");
    assertEquals(Optional.empty(), rdma.unavailabilityCause());
    pool = Files.createTempDirectory(Path.of(mount), "serving");
    service =
        NodeService.start(
            TestService.inMemory(pool, SEGMENTS)
                .transports(List.of(rdma, new TcpProvider()))
                .listen(RdmaAddress.find(), 0)
                .bounceMemory(16 << 20));
  }

  @AfterEach
  void removePool() throws IOException {
    if (service != null) {
      service.close();
      try (Stream<Path> files = Files.walk(pool)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Override
  protected NodeAddress address() {
    int port = service.metadata().address().controlPort();
    return new NodeAddress("node1", new InetSocketAddress(RdmaAddress.find(), port));
  }

  /** Has a reader read everything, all of it over the device; returns what the reader counted. */
  ReadStats readOverTheDevice() throws IOException {
    Random random = seeded(kind);
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < OUTPUTS; i++) {
      outputs.add(TestOutput.random(random, "attempt_" + i, 3, 600_000));
      commit(outputs.get(i));
    }
    long bytes = outputs.stream().mapToLong(TestOutput::totalBytes).sum();
    DeviceCounters device = new DeviceCounters();
    try (NodeReader reader = reader(16, null, TIMEOUT_MS, rdma, new TcpProvider())) {
      assertReads(reader, outputs);
      device.assertReceived(bytes);
      reporter.publishEntry("verbs", kind + ": " + device.since(bytes));
      reporter.publishEntry("bounce", kind + ": " + service.counters().bounce());
      assertEquals(bytes, reader.stats().bytes(rdma.name()));
      assertEquals(0, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().transportFallbacks());
      return reader.stats();
    }
  }
}
