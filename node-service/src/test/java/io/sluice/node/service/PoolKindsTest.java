package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.ReadStats;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of pool that the lab has: read in place, over tcp and by the NIC. */
class PoolKindsTest extends NodeTestBase {
  private static final int SEGMENT_BYTES = 2 << 20;
  private static final int BLOCK_BYTES = 16 << 10;

  private Path pool;
  private InetAddress bindAddress = LOOPBACK;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sluice.lab.tmpfs",
        "sluice.lab.hugetlbfs",
        "sluice.lab.fsdax",
        "sluice.lab.devdax"
      })
  void isReadInPlaceAndOverTcpBeforeAndAfterARestart(String property) throws Exception {
    usePool(property);
    startOn(false, new TcpProvider());
    List<TestOutput> outputs = commitSome("isReadInPlaceAndOverTcpBeforeAndAfterARestart");
    assertReadsOver(new TcpProvider(), outputs);
    assertReadsInPlace(outputs);
    service.close();
    startOn(true, new TcpProvider());
    assertReadsOver(new TcpProvider(), outputs);
    assertReadsInPlace(outputs);
  }

  /** All but fs-DAX, whose pages no NIC may pin. */
  @ParameterizedTest
  @ValueSource(strings = {"sluice.lab.tmpfs", "sluice.lab.hugetlbfs", "sluice.lab.devdax"})
  void isReadByTheNic(String property) throws Exception {
    usePool(property);
    TransportProvider rdma = LabTransport.provider();
    assertEquals(Optional.empty(), rdma.unavailabilityCause());
    bindAddress = RdmaAddress.find();
    startOn(false, new TcpProvider(), rdma);
    List<TestOutput> outputs = commitSome("isReadByTheNic");
    DeviceCounters device = new DeviceCounters();
    assertReadsOver(rdma, outputs);
    device.assertReceived(bytesOf(outputs));
  }

  private void usePool(String property) throws IOException {
    Path place = Path.of(System.getProperty(property, ""));
    Assumptions.assumeFalse(
        place.toString().isEmpty(), "there is no such place here: " + property + " is not set");
    pool =
        PoolKind.of(place) == PoolKind.DEVICE
            ? place
            : Files.createDirectories(place.resolve("pool-" + directory.getFileName()));
  }

  private void startOn(boolean recover, TransportProvider... transports) throws IOException {
    // Without bounce slots, so that a NIC reads what it has registered, or nothing.
    service =
        NodeService.start(
            ServiceContext.at(
                    new ServiceDirectories(home(), pool, PoolVisibility.ANNOUNCED),
                    4L * SEGMENT_BYTES)
                .segments(SEGMENT_BYTES, BLOCK_BYTES)
                .transports(List.of(transports))
                .listen(bindAddress, 0)
                .recover(recover));
  }

  private List<TestOutput> commitSome(String test) throws IOException {
    Random random = seeded(test);
    List<TestOutput> outputs =
        List.of(
            TestOutput.random(random, "attempt_0", 5, 1_000_000),
            TestOutput.single(random, "attempt_1", 700_000));
    for (TestOutput output : outputs) {
      commit(output);
    }
    return outputs;
  }

  private void assertReadsOver(TransportProvider provider, List<TestOutput> outputs)
      throws IOException {
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider)) {
      assertReads(reader, outputs);
      assertEquals(bytesOf(outputs), reader.stats().bytes(provider.name()));
    }
  }

  private void assertReadsInPlace(List<TestOutput> outputs) throws IOException {
    try (NodeReader reader =
        reader(8, service.metadata().poolId(), TIMEOUT_MS, new TcpProvider())) {
      assertReads(reader, outputs);
      assertEquals(bytesOf(outputs), reader.stats().bytes(ReadStats.LOCAL));
    }
  }

  private static long bytesOf(List<TestOutput> outputs) {
    return outputs.stream().mapToLong(TestOutput::totalBytes).sum();
  }

  @Override
  protected NodeAddress address() {
    return new NodeAddress(
        "node1", new InetSocketAddress(bindAddress, service.metadata().address().controlPort()));
  }

  @AfterEach
  void clean() throws IOException {
    if (service != null) {
      service.close();
    }
    if (pool != null && Files.isDirectory(pool)) {
      try (Stream<Path> files = Files.walk(pool)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
