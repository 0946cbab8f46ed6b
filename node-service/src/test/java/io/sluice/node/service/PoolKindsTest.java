package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.ReadStats;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestOutput;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of pool that the lab has, read in place and over tcp, by tasks and by a successor. */
class PoolKindsTest extends NodeTestBase {
  private static final int SEGMENT_BYTES = 2 << 20;
  private static final int BLOCK_BYTES = 16 << 10;

  private Path pool;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sluice.lab.tmpfs",
        "sluice.lab.hugetlbfs",
        "sluice.lab.fsdax",
        "sluice.lab.devdax"
      })
  void isReadInPlaceAndOverTheTransportBeforeAndAfterARestart(String property) throws Exception {
    Path place = Path.of(System.getProperty(property, ""));
    Assumptions.assumeFalse(
        place.toString().isEmpty(), "there is no such place here: " + property + " is not set");
    pool =
        PoolKind.of(place) == PoolKind.DEVICE
            ? place
            : Files.createDirectories(place.resolve("pool-" + directory.getFileName()));
    Random random = seeded("isReadInPlaceAndOverTheTransportBeforeAndAfterARestart");
    List<TestOutput> outputs =
        List.of(
            TestOutput.random(random, "attempt_0", 5, 1_000_000),
            TestOutput.random(random, "attempt_1", 1, 700_000));
    startOn(false);
    for (TestOutput output : outputs) {
      commit(output);
    }
    assertReadsBothWays(outputs);
    service.close();
    startOn(true);
    assertReadsBothWays(outputs);
  }

  private void startOn(boolean recover) throws IOException {
    StoreConfig.Builder store =
        StoreConfig.builder(pool, 4L * SEGMENT_BYTES)
            .geometry(SEGMENT_BYTES, BLOCK_BYTES)
            .medium(MediumChooser.choose("auto", pool).medium());
    service = NodeService.start(config(store, 0, recover, new TcpProvider()));
  }

  private void assertReadsBothWays(List<TestOutput> outputs) throws IOException {
    long bytes = outputs.stream().mapToLong(TestOutput::totalBytes).sum();
    try (NodeReader reader = tcpReader(8)) {
      assertReads(reader, outputs);
      assertEquals(bytes, reader.stats().bytes("tcp"));
    }
    try (NodeReader reader =
        reader(8, service.metadata().poolId(), TIMEOUT_MS, new TcpProvider())) {
      assertReads(reader, outputs);
      assertEquals(bytes, reader.stats().bytes(ReadStats.LOCAL));
    }
  }

  @AfterEach
  void clean() throws IOException {
    if (pool != null && Files.isDirectory(pool)) {
      service.close();
      try (Stream<Path> files = Files.walk(pool)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
