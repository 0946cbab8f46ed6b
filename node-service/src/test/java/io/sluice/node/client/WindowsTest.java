package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.RegisteredWindows;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who holds how many windows, and that nobody waits for one that never comes. */
class WindowsTest extends NodeTestBase {
  private static final int OUTPUTS = 6;
  private static final int LENGTH_BYTES = 1_000_000; // 16 windows

  private final List<TestOutput> outputs = new ArrayList<>();

  @BeforeEach
  void startAndCommit() throws IOException {
    start(8);
    Random random = new Random(1);
    for (int i = 0; i < OUTPUTS; i++) {
      outputs.add(TestOutput.single(random, "attempt_" + i, LENGTH_BYTES));
      commit(outputs.get(i));
    }
  }

  private Transports transports(int windows) {
    return new Transports(List.of(new TcpProvider()), WINDOW_BYTES, (long) windows * WINDOW_BYTES);
  }

  private NodeReader reader(Transports transports, long timeoutMs) {
    return new NodeReader(APP, SECRET, transports, null, Timeouts.all(timeoutMs));
  }

  private static int inUse(Transports transports) throws IOException {
    return transports.pool("tcp").usage().inUse();
  }

  private List<NodeRun> locateAll(NodeReader reader) throws IOException {
    List<NodeRun> runs = new ArrayList<>();
    for (TestOutput output : outputs) {
      runs.add(locateOnly(reader, output.id()));
    }
    return runs;
  }

  private byte[] expected(int output) {
    return outputs.get(output).runs().get(0);
  }

  @Test
  void aRunHoldsAsManyAsItIsAllowed() throws IOException {
    Transports transports = transports(8);
    try (NodeReader reader = reader(transports, TIMEOUT_MS)) {
      NodeRun run = locateOnly(reader, "attempt_0");
      run.prefetch(5);
      assertEquals(5, inUse(transports));
      run.prefetch(2);
      assertEquals(2, inUse(transports));
      run.prefetch(100);
      assertEquals(8, inUse(transports));
      byte[] first = readSome(run, WINDOW_BYTES + 1);
      assertArrayEquals(Arrays.copyOf(expected(0), WINDOW_BYTES + 1), first);
      assertEquals(8, inUse(transports));
      run.suspend();
      assertEquals(0, inUse(transports));
      byte[] second = readSome(run, WINDOW_BYTES);
      assertArrayEquals(
          Arrays.copyOfRange(expected(0), WINDOW_BYTES + 1, 2 * WINDOW_BYTES + 1), second);
      run.close();
      assertEquals(0, inUse(transports));
      run.close();
    }
  }

  @Test
  void aRunThatIsReadToItsEndHoldsNothing() throws IOException {
    Transports transports = transports(4);
    try (NodeReader reader = reader(transports, TIMEOUT_MS);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      run.prefetch(4);
      assertArrayEquals(expected(0), readSome(run, LENGTH_BYTES));
      assertEquals(0, inUse(transports));
      assertEquals(-1, run.input().read(new byte[1], 0, 1));
      assertEquals(-1, run.input().read(new byte[1], 0, 1));
    }
  }

  @Test
  void aRunLargerThanThePoolIsReadThroughOneWindow() throws IOException {
    Transports transports = transports(1);
    try (NodeReader reader = reader(transports, TIMEOUT_MS)) {
      assertArrayEquals(expected(0), readAll(locateOnly(reader, "attempt_0")));
      assertEquals(1, transports.pool("tcp").usage().peakInUse());
    }
  }

  @Test
  void runsThatShareAPoolTakeTurnsAndNeverWaitForEachOther() throws IOException {
    for (int windows = OUTPUTS; windows <= 2 * OUTPUTS + 1; windows++) {
      Transports transports = transports(windows);
      try (NodeReader reader = reader(transports, TIMEOUT_MS)) {
        List<NodeRun> runs = locateAll(reader);
        runs.get(0).prefetch(windows); // greedy, before the others were known
        runs.get(1).prefetch(windows);
        reader.prepareMerge(runs);
        int pieceBytes = LENGTH_BYTES / 10;
        for (int piece = 0; piece < 10; piece++) {
          for (int i = runs.size() - 1; i >= 0; i--) {
            int from = piece * pieceBytes;
            assertArrayEquals(
                Arrays.copyOfRange(expected(i), from, from + pieceBytes),
                readSome(runs.get(i), pieceBytes));
          }
        }
        assertEquals(0, inUse(transports));
      }
    }
  }

  @Test
  void moreRunsThanWindowsMustBeMergedInRounds() throws IOException {
    try (NodeReader reader = tcpReader(OUTPUTS - 1)) {
      List<NodeRun> runs = locateAll(reader);
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> reader.prepareMerge(runs));
      assertTrue(e.getMessage().contains("merge in rounds"), e.getMessage());
    }
  }

  @Test
  void whoWaitsForAWindowThatNeverComesIsToldWhy() throws IOException {
    try (NodeReader reader = reader(transports(2), 2_000);
        NodeRun greedy = locateOnly(reader, "attempt_0");
        NodeRun hungry = locateOnly(reader, "attempt_1")) {
      greedy.prefetch(2);
      hungry.prefetch(2); // does not wait
      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> readSome(hungry, 1));
      assertTrue(e.getMessage().contains("all 2 are in use"), e.getMessage());
      greedy.suspend();
      assertArrayEquals(expected(1), readSome(hungry, LENGTH_BYTES));
    }
  }

  @Test
  void aReaderClosedWithAWindowOutSaysSoAndClosesTheRest() throws IOException {
    Transports transports = transports(2);
    NodeReader reader = reader(transports, TIMEOUT_MS);
    NodeRun run = locateOnly(reader, "attempt_0");
    run.prefetch(1);
    IllegalStateException e = assertThrows(IllegalStateException.class, reader::close);
    assertTrue(e.getMessage().contains("not released"), e.getMessage());
    run.close();
    reader.close();
  }

  /** Bytes may come into its memory until then, which must be nobody else's. */
  @Test
  void aReadThatDoesNotEndInTimeKeepsItsWindowUntilItDoes() throws Exception {
    LateReads late = new LateReads();
    Transports transports = new Transports(List.of(late), WINDOW_BYTES, 4 * WINDOW_BYTES);
    NodeReader reader = reader(transports, 1_000);
    NodeRun run = locateOnly(reader, "attempt_0");
    run.prefetch(4);
    assertThrows(RuntimeException.class, run::close);
    assertEquals(4, inUse(transports));
    late.end();
    RegisteredWindows pool = transports.pool("tcp");
    Await.until("all windows to be back", () -> pool.usage().inUse() == 0);
    reader.close();
  }
}
