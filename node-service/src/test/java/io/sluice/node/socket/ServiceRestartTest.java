package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestPool;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A task that is writing when its node's service goes away. */
class ServiceRestartTest extends SocketServerTestBase {
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final byte[] BEFORE = new byte[100_000];
  private static final long VERY_LONG_MS = 3_600_000;
  private static final long ANSWER_MS = 2_000;

  /** The pauses between so many add up to more than an answer may take. */
  private static final int CALLS_IN_VAIN = 8;

  private static final byte[] AFTER = new byte[3 << 20];

  @Test
  void aTaskCommitsToTheServiceThatKeptThePool() throws IOException {
    try (SocketClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      restart(true);
      writeRun(writer, AFTER);
      writer.commit(ID);
    }
    CommittedOutput output = store.find(ID).orElseThrow();
    assertEquals(2, output.runs(0).size());
    assertEquals(BEFORE.length + AFTER.length, runBytes(output));
  }

  @Test
  void whatLayInAnEmptiedPoolIsLost() throws IOException {
    try (SocketClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      restart(false);
      IOException e = assertThrows(IOException.class, () -> writer.commit(ID));
      assertTrue(e.getMessage().contains("restarted with an empty pool"), e.getMessage());
      assertThrows(IOException.class, writer::close);
    }
    assertTrue(store.find(ID).isEmpty());
  }

  @Test
  void aLeaseThatTheSameStoreTookBackCannotBeCommitted() throws IOException {
    try (SocketClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      server.close();
      awaitNothingLeased();
      server = startServer();
      assertThrows(IOException.class, () -> writer.commit(ID));
      assertThrows(IOException.class, writer::close);
    }
    assertTrue(store.find(ID).isEmpty());
  }

  @Test
  void whatATaskHeldIsFreeAgainWhenItEndsAndNotBefore() throws IOException {
    SocketClient running = connect(APP);
    SocketClient other = connect(APP);
    running.lease(1 << 20);
    other.leaseContiguous(1 << 20);
    restart(true);
    assertEquals(2 << 20, store.stats().memory().quarantinedBytes());
    other.close();
    connect(APP).close();
    assertEquals(1 << 20, store.stats().memory().quarantinedBytes());
    restart(true);
    assertEquals(1 << 20, store.stats().memory().quarantinedBytes());
    store.freeApplication(APP); // its task may be stopped, and write when it goes on
    assertEquals(1 << 20, store.stats().memory().quarantinedBytes());
    running.close();
    connect(APP).close();
    assertEquals(0, store.stats().memory().quarantinedBytes());
  }

  @Test
  void whatATaskHeldThatEndedWithTheServiceIsFreeAtOnce() throws IOException {
    SocketClient client = connect(APP);
    client.lease(3 << 20);
    store.quiesce();
    client.close();
    restart(true);
    assertEquals(0, store.stats().memory().quarantinedBytes());
  }

  @Test
  void aLeaseWithoutRoomTakesWhatATaskHeldThatHasEnded() throws IOException {
    SocketClient client = connect(APP);
    client.lease(SEGMENTS << 20);
    restart(true);
    try (SocketClient waiting = connect(APP)) {
      assertThrows(StoreFullException.class, () -> waiting.lease(1));
      client.close();
      waiting.lease(SEGMENTS << 20);
    }
  }

  @Test
  void aBlockThatWasGivenBackBelongsToWhoeverHasItNow() throws IOException {
    SocketClient former = connect(APP);
    former.release(former.lease(SEGMENTS << 20));
    SocketClient living = connect(APP);
    living.lease(SEGMENTS << 20);
    restart(true);
    former.close();
    connect(APP).close();
    assertEquals(SEGMENTS << 20, store.stats().memory().quarantinedBytes());
    living.close();
    connect(APP).close();
    assertEquals(0, store.stats().memory().quarantinedBytes());
  }

  @Test
  void aTaskThatGivesEverythingBackWaitsForNoService() throws IOException {
    try (SocketClient client = connect(new Timeouts(TIMEOUT_MS, VERY_LONG_MS, VERY_LONG_MS))) {
      List<Extent> leased = client.lease(1 << 20);
      server.close();
      client.stopReconnecting();
      assertThrows(IOException.class, () -> client.release(leased));
    }
  }

  @Test
  void aServiceMayTakeLongerToRestartThanToAnswer() throws IOException {
    try (SocketClient client = connect(new Timeouts(ANSWER_MS, TIMEOUT_MS, TIMEOUT_MS));
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      store.quiesce();
      server.close();
      CompletableFuture<Void> restart =
          CompletableFuture.runAsync(
              () -> {
                try {
                  turnAway();
                  startAgain(true);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      writeRun(writer, AFTER);
      restart.join();
      writer.commit(ID);
    }
    assertEquals(2, store.find(ID).orElseThrow().runs(0).size());
  }

  /** Nor is it waited for as long as an answer is, where the task has less patience. */
  @Test
  void aServiceMayTakeLongerToAnswerThanToRestart() throws IOException {
    try (SocketClient client = connect(new Timeouts(VERY_LONG_MS, 1, VERY_LONG_MS))) {
      List<Extent> leased = client.lease(1 << 20);
      server.close();
      assertThrows(IOException.class, () -> client.release(leased));
    }
  }

  private SocketClient connect(Timeouts timeouts) throws IOException {
    return SocketClient.connect(
        socket(), SeenFromElsewhere.owner(access()), Borrower.PROCESS, APP, SECRET, timeouts);
  }

  /** Somebody hangs up at the socket meanwhile. */
  private void turnAway() throws IOException {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socket()));
      for (int i = 0; i < CALLS_IN_VAIN; i++) {
        other.accept().close();
      }
    } finally {
      Files.deleteIfExists(socket());
    }
  }

  private static void writeRun(OutputWriter writer, byte[] bytes) throws IOException {
    writer.beginRun(0);
    writer.write(bytes, 0, bytes.length);
    writer.endRun(bytes.length, 1);
  }

  private static long runBytes(CommittedOutput output) throws IOException {
    return output.runs(0).stream().mapToLong(located -> located.run().lengthBytes()).sum();
  }

  private void restart(boolean recover) throws IOException {
    store.quiesce();
    server.close();
    startAgain(recover);
  }

  private void startAgain(boolean recover) throws IOException {
    store.close();
    records = LeaseRecords.open(socket(), recover);
    var config = TestPool.memory(directory, SEGMENTS).formerLeases(records);
    openStore(recover ? config.recover(Set.of(APP)) : config);
    server = startServer();
  }
}
