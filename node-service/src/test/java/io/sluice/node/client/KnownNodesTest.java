package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KnownNodesTest extends NodeTestBase {
  private static final int MOST_CONNECTED = 3;
  private static final int NODES = 20;
  private static final NodeAddress GONE =
      new NodeAddress("gone", InetSocketAddress.createUnresolved("gone", 1));

  private final long startNs = Long.MAX_VALUE - KnownNodes.FORGOTTEN_AFTER_NS / 2; // it runs over
  private final long lateNs = startNs + KnownNodes.FORGOTTEN_AFTER_NS + 1;
  private final Transports transports =
      new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOW_BYTES);
  private final KnownNodes nodes = new KnownNodes(this::node, MOST_CONNECTED);

  private RemoteNode node(NodeAddress at) {
    return new RemoteNode(
        at,
        APP,
        SECRET,
        transports,
        null,
        new ReadStats(),
        Timeouts.all(TIMEOUT_MS),
        asked -> nodes.at(asked, lateNs));
  }

  @AfterEach
  void close() throws IOException {
    nodes.close();
    transports.close();
  }

  private static void ask(RemoteNode node) throws IOException {
    assertEquals(1, node.describe(PartitionRange.one(0), List.of("attempt_0")).runs().size());
  }

  private void startWithAnOutput() throws IOException {
    start(4);
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
  }

  @Test
  void aNodeThatIsNotAskedForLongIsForgottenUnlessSomebodyHasIt() throws IOException {
    RemoteNode held = nodes.at(GONE, startNs);
    nodes.tidy(lateNs - 1);
    assertEquals(List.of(held), nodes.kept());
    nodes.tidy(lateNs);
    assertEquals(List.of(), nodes.kept());
    assertSame(held, nodes.at(GONE, lateNs), "it is known what was given up there");
    assertEquals(List.of(held), nodes.kept());
  }

  @Test
  void nobodysNodeIsCollected() throws IOException {
    WeakReference<RemoteNode> nobodys = new WeakReference<>(nodes.at(GONE, startNs));
    nodes.tidy(lateNs);
    Await.until(
        "it is collected",
        () -> {
          System.gc();
          return nobodys.get() == null;
        });
    nodes.tidy(lateNs);
    assertEquals(List.of(), nodes.kept());
  }

  @Test
  void aNodeWithAConnectionIsKept() throws IOException {
    startWithAnOutput();
    RemoteNode node = nodes.at(address(), startNs);
    ask(node);
    assertTrue(node.isConnected());
    nodes.tidy(lateNs);
    assertEquals(List.of(node), nodes.kept());
  }

  /** By a run that was located long ago, and may go before anything is tidied. */
  @Test
  void aForgottenNodeThatIsConnectedAgainIsKept() throws IOException {
    startWithAnOutput();
    RemoteNode node = nodes.at(address(), startNs);
    nodes.tidy(lateNs);
    assertEquals(List.of(), nodes.kept());
    ask(node);
    assertEquals(List.of(node), nodes.kept());
    nodes.tidy(lateNs);
    assertEquals(List.of(node), nodes.kept());
  }

  /** It may have its connection only when things were tidied. */
  @Test
  void aNodeThatARunHasBegunToAskIsKept() throws IOException {
    RemoteNode node = nodes.at(GONE, startNs);
    assertThrows(IOException.class, () -> ask(node));
    nodes.tidy(lateNs);
    assertEquals(List.of(node), nodes.kept());
  }

  @Test
  void forgottenNodesAreClosedToo() throws IOException {
    startWithAnOutput();
    RemoteNode node = nodes.at(address(), startNs);
    nodes.tidy(lateNs);
    ask(node);
    nodes.close();
    assertThrows(IOException.class, () -> ask(node));
    assertThrows(IOException.class, () -> nodes.at(address(), lateNs));
  }

  /** The service under many names. */
  private RemoteNode at(int number) throws IOException {
    return nodes.at(new NodeAddress("node" + number, address().control()), startNs);
  }

  @Test
  void thoseThatWereAskedLongestAgoAreLeft() throws IOException {
    startWithAnOutput();
    List<RemoteNode> asked = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < NODES; i++) {
        RemoteNode node = at(i);
        ask(node);
        asked.remove(node);
        asked.add(node);
        List<RemoteNode> last =
            asked.subList(Math.max(0, asked.size() - MOST_CONNECTED), asked.size());
        assertEquals(last, asked.stream().filter(RemoteNode::isConnected).toList());
      }
    }
    Await.until(
        "the service has noticed", () -> service.counters().connections().open() == MOST_CONNECTED);
  }

  /** Nothing is kept of those for their connections' sake. */
  @Test
  void whoIsForgottenCountsNoMore() throws IOException {
    for (int i = 0; i < MOST_CONNECTED; i++) {
      nodes.at(new NodeAddress("node" + i, GONE.control()), startNs);
    }
    assertEquals(MOST_CONNECTED, nodes.connected());
    nodes.tidy(lateNs);
    assertEquals(List.of(), nodes.kept());
    assertEquals(0, nodes.connected());
  }
}
