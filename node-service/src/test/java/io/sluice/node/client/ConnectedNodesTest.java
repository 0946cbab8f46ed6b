package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.remote.Partitions;
import io.sluice.node.testing.Await;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader of many nodes, which are one under many names. */
class ConnectedNodesTest extends NodeTestBase {
  private static final int MOST = 3;
  private static final int NODES = 20;

  private final Transports transports =
      new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOW_BYTES);
  private final KnownNodes nodes = new KnownNodes(this::node, MOST);

  private RemoteNode node(NodeAddress at) {
    return new RemoteNode(
        at,
        APP,
        SECRET,
        transports,
        null,
        new ReadStats(),
        Timeouts.all(TIMEOUT_MS),
        asked -> nodes.at(asked, System.nanoTime()));
  }

  @BeforeEach
  void startWithAnOutput() throws IOException {
    start(4);
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
  }

  @AfterEach
  void close() throws IOException {
    nodes.close();
    transports.close();
  }

  private RemoteNode at(int number) throws IOException {
    return nodes.at(new NodeAddress("node" + number, address().control()), System.nanoTime());
  }

  private static void ask(RemoteNode node) throws IOException {
    assertEquals(1, node.describe(Partitions.one(0), List.of("attempt_0")).runs().size());
  }

  @Test
  void thoseThatWereAskedLongestAgoAreLeft() throws IOException {
    List<RemoteNode> asked = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < NODES; i++) {
        RemoteNode node = at(i);
        ask(node);
        asked.remove(node);
        asked.add(node);
        List<RemoteNode> last = asked.subList(Math.max(0, asked.size() - MOST), asked.size());
        assertEquals(last, asked.stream().filter(RemoteNode::isConnected).toList());
      }
    }
    Await.until("the service has noticed", () -> service.connectionCounters().open() == MOST);
  }

  /** Nothing is kept of those for their connections' sake. */
  @Test
  void whoIsForgottenCountsNoMore() throws IOException {
    for (int i = 0; i < MOST; i++) {
      at(i);
    }
    assertEquals(MOST, nodes.connected());
    nodes.tidy(System.nanoTime() + 2 * KnownNodes.FORGOTTEN_AFTER_NS);
    assertEquals(List.of(), nodes.kept());
    assertEquals(0, nodes.connected());
  }
}
