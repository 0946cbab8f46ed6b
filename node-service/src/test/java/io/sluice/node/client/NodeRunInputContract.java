package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInputContract;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What every run promises, of one that a node has located: it lies in ranges of a pool. */
@Timeout(300)
abstract class NodeRunInputContract extends RunInputContract {
  static final String ID = "attempt_0";

  /** Shorter than most runs here. */
  static final int WINDOW_BYTES = 1 << 10;

  private static final long TIMEOUT_MS = 120_000;
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));

  @TempDir Path directory;
  private final Random random = TestSeed.random();
  private LeakCheck leaks;
  private Transports transports;
  private MovingNode service;
  private RemoteNode node;

  /** Those of the run. */
  byte[] bytes;

  /** Reads the run as its node has described it. */
  abstract RunInput open(
      RemoteNode node, LocatedRun located, Map<Integer, SegmentLocation> segments);

  @BeforeEach
  void openBooks() {
    leaks = new LeakCheck();
    transports = new Transports(List.of(new TcpProvider()), WINDOW_BYTES, 4L * WINDOW_BYTES);
  }

  @AfterEach
  void close() throws Exception {
    node.close();
    transports.close();
    service.close();
    leaks.check();
  }

  @Override
  protected RunInput open(byte[] ofRun) throws IOException {
    bytes = ofRun;
    TestOutput output = new TestOutput(ID, 1, List.of(0), List.of(bytes));
    service = new MovingNode(directory.resolve("pool"), SECRET, output, random);
    node =
        new RemoteNode(
            service.address(),
            "application_1_0001",
            SECRET,
            transports,
            service.localPool(),
            new ReadStats(),
            Timeouts.all(TIMEOUT_MS),
            asked -> {});
    OutputLocations description = node.describe(PartitionRange.one(0), List.of(ID));
    return open(node, description.runs().get(ID).get(0), description.segments());
  }
}
