package io.sluice.node.faults;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.testing.TestOutput;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A reader of many nodes, all of which are one: fetches ahead from each when it is located, as
 * reducers do, then reads from as many at once as it may, window by window, until all are read.
 */
final class ManyNodesMain {
  private static final long TIMEOUT_MS = 120_000;
  private static final int WINDOW_BYTES = 4 << 10;
  private static final int WINDOWS = 4096;

  private ManyNodesMain() {}

  /** What lies on each. */
  static TestOutput output() {
    return TestOutput.single(new Random(1), "attempt_1", 3 * WINDOW_BYTES);
  }

  /** Takes the application, its secret, the service's port, and how many nodes it is. */
  public static void main(String[] args) throws Exception {
    InetSocketAddress service = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2]));
    JobSecret secret = new JobSecret(args[1].getBytes(StandardCharsets.US_ASCII));
    int nodes = Integer.parseInt(args[3]);
    Transports tcp =
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, (long) WINDOWS * WINDOW_BYTES);
    int most = 0;
    try (NodeReader reader = new NodeReader(args[0], secret, tcp, null, Timeouts.all(TIMEOUT_MS))) {
      List<NodeRun> runs = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        NodeRun run =
            reader
                .locate(
                    new NodeAddress("node" + i, service),
                    PartitionRange.one(0),
                    List.of(output().id()))
                .get(output().id())
                .get(0);
        run.fetchAhead(1);
        runs.add(run);
      }
      for (NodeRun run : runs) {
        run.suspend();
      }
      for (int first = 0; first < nodes; first += reader.windowCount()) {
        List<NodeRun> merged = runs.subList(first, Math.min(nodes, first + reader.windowCount()));
        reader.prepareMerge(merged);
        merge(merged);
        most = Math.max(most, merged.size());
      }
    }
    System.out.println("read " + nodes + " nodes");
    System.out.println("most " + most);
  }

  private static void merge(List<NodeRun> runs) throws Exception {
    List<RunInput> inputs = runs.stream().map(NodeRun::input).toList();
    byte[] expected = output().runs().get(0);
    byte[] window = new byte[WINDOW_BYTES];
    for (int done = 0; done < expected.length; done += window.length) {
      for (RunInput input : inputs) {
        for (int n = 0; n < window.length; ) {
          n += input.read(window, n, window.length - n);
        }
        if (!Arrays.equals(expected, done, done + window.length, window, 0, window.length)) {
          throw new IllegalStateException("other bytes than were written");
        }
      }
    }
    for (RunInput input : inputs) {
      input.close();
    }
  }
}
