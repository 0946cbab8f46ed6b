package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReadStats;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What the processes of a test share: the outputs, and services and readers with the transports
 * they would choose by themselves. Every deadline of a read is {@link #READ_TIMEOUT_MS}.
 */
abstract class VerbsReadsBase extends NodeTestBase {
  static final String RDMA = LabTransport.NAME;
  static final String TCP = TransportNames.TCP;

  /** Longer than the NIC tries again, so that the failures seen are the NIC's. */
  static final long READ_TIMEOUT_MS = 20_000;

  static final int OUTPUT_BYTES = 1_500_000;

  /** The same in every process. */
  static final List<TestOutput> OUTPUTS =
      IntStream.range(0, 3)
          .mapToObj(i -> TestOutput.single(new Random(i), "attempt_" + i, OUTPUT_BYTES))
          .toList();

  private static final int WINDOWS = 8;

  /** The lab's RDMA transport where it works now, and TCP. */
  static List<TransportProvider> transports() throws TransportException {
    TransportChooser chooser =
        new TransportChooser(List.of(LabTransport.provider(), new TcpProvider()));
    TransportChooser.Choice choice = chooser.choose(TransportChooser.AUTO);
    System.err.println(choice.reason()); // as a NodeManager's and a task's log have it
    return chooser.serving(choice);
  }

  /** A reader with the transports that work here now. */
  static NodeReader standardReader() throws TransportException {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(transports(), WINDOW_BYTES, (long) WINDOWS * WINDOW_BYTES),
        null,
        Timeouts.all(READ_TIMEOUT_MS));
  }

  /** Reads an output, and compares every byte. */
  static void readAndCheck(NodeReader reader, NodeAddress address, TestOutput output)
      throws IOException {
    try (NodeRun run =
        reader
            .locate(address, PartitionRange.one(0), List.of(output.id()))
            .get(output.id())
            .get(0)) {
      run.prefetch(WINDOWS);
      assertArrayEquals(output.runs().get(0), readAll(run), output.id());
    }
  }

  static String describe(ReadStats stats) {
    return "bytes "
        + stats.bytesByWay()
        + ", retries "
        + stats.retries()
        + ", fallbacks "
        + stats.transportFallbacks();
  }
}
