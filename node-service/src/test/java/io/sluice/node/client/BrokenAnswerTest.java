package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.socket.Refusals;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.testing.TestOutput;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An answer that is sent while it is read ends in the middle if its output leaves its place. The
 * defect was: the service seemed to be silent, or not to be there.
 */
class BrokenAnswerTest extends NodeTestBase {
  private static final String ID = "attempt_0";
  private static final int RUNS = 5_000; // too many for an answer that is gathered

  private RemoteServer server;
  private final AtomicInteger longAnswers = new AtomicInteger();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  /** Does something when a long answer was counted, before it is sent. */
  private NodeAddress actBeforeLongAnswers(Runnable action) throws IOException {
    RemoteBackend acting =
        (RemoteBackend)
            Proxy.newProxyInstance(
                RemoteBackend.class.getClassLoader(),
                new Class<?>[] {RemoteBackend.class},
                (proxy, method, arguments) -> {
                  try {
                    Object answer = method.invoke(service.readers(), arguments);
                    if (method.getName().equals("describeLong")) {
                      longAnswers.incrementAndGet();
                      action.run();
                    }
                    return answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    server =
        RemoteServer.start(
            acting, new InetSocketAddress(LOOPBACK, 0), new Refusals(), ConnectionLimits.DEFAULT);
    return new NodeAddress("node1", new InetSocketAddress(LOOPBACK, server.port()));
  }

  private void commit(byte value) throws IOException {
    List<byte[]> runs = Collections.nCopies(RUNS, new byte[] {value, value});
    commit(new TestOutput(ID, 1, Collections.nCopies(RUNS, 0), runs));
  }

  private void free() {
    try {
      service.store().freeOutput(new OutputId(APP, ID));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void replace() {
    free();
    try {
      commit((byte) (longAnswers.get() + 1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, List<NodeRun>> locate(NodeReader reader, NodeAddress address)
      throws IOException {
    return reader.locate(address, PartitionRange.one(0), List.of(ID));
  }

  @Test
  void anOutputThatIsReplacedMeanwhileIsDescribedAsItIsNow() throws IOException {
    start(4);
    commit((byte) 1);
    NodeAddress address =
        actBeforeLongAnswers(
            () -> {
              if (longAnswers.get() == 1) {
                replace();
              }
            });
    try (NodeReader reader = tcpReader(2)) {
      List<NodeRun> runs = locate(reader, address).get(ID);
      assertEquals(2, longAnswers.get());
      assertEquals(RUNS, runs.size());
      assertArrayEquals(new byte[] {2, 2}, readAll(runs.get(RUNS - 1)));
    }
  }

  @Test
  void anOutputThatIsFreedMeanwhileIsAbsent() throws IOException {
    start(4);
    commit((byte) 1);
    NodeAddress address = actBeforeLongAnswers(this::free);
    try (NodeReader reader = tcpReader(2)) {
      assertEquals(Set.of(), locate(reader, address).keySet());
      assertEquals(1, longAnswers.get());
    }
  }

  @Test
  void aReaderThatNeverGetsAWholeAnswerGivesUp() throws IOException {
    start(4);
    commit((byte) 1);
    NodeAddress address = actBeforeLongAnswers(this::replace);
    try (NodeReader reader = tcpReader(2)) {
      assertThrows(EOFException.class, () -> locate(reader, address));
      assertEquals(5, longAnswers.get());
    }
  }
}
