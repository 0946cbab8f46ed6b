package io.sluice.node.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.memory.Borrower;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.testing.TestPool;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A task that is writing when its node's service goes away. */
class ServiceRestartTest extends LocalServerTestBase {
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final byte[] BEFORE = new byte[100_000];
  private static final long VERY_LONG_MS = 3_600_000;
  private static final byte[] AFTER = new byte[3 << 20];

  @Test
  void aTaskCommitsToTheServiceThatKeptThePool() throws IOException {
    try (LocalClient client = connect(APP);
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
    try (LocalClient client = connect(APP);
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
    try (LocalClient client = connect(APP);
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
    LocalClient running = connect(APP);
    LocalClient other = connect(APP);
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
    LocalClient client = connect(APP);
    client.lease(3 << 20);
    store.quiesce();
    client.close();
    restart(true);
    assertEquals(0, store.stats().memory().quarantinedBytes());
  }

  @Test
  void aLeaseWithoutRoomTakesWhatATaskHeldThatHasEnded() throws IOException {
    LocalClient client = connect(APP);
    client.lease(SEGMENTS << 20);
    restart(true);
    try (LocalClient waiting = connect(APP)) {
      assertThrows(StoreFullException.class, () -> waiting.lease(1));
      client.close();
      waiting.lease(SEGMENTS << 20);
    }
  }

  @Test
  void aBlockThatWasGivenBackBelongsToWhoeverHasItNow() throws IOException {
    LocalClient former = connect(APP);
    former.release(former.lease(SEGMENTS << 20));
    LocalClient living = connect(APP);
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
    Timeouts timeouts = new Timeouts(TIMEOUT_MS, VERY_LONG_MS, VERY_LONG_MS);
    try (LocalClient client =
        LocalClient.connect(
            socket(),
            SeenFromElsewhere.owner(handout()),
            Borrower.PROCESS,
            APP,
            SECRET,
            timeouts)) {
      List<Extent> leased = client.lease(1 << 20);
      server.close();
      client.stopReconnecting();
      assertThrows(IOException.class, () -> client.release(leased));
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
    store.close();
    records = LeaseRecords.open(socket(), recover);
    var config = TestPool.memory(directory, SEGMENTS).formerLeases(records);
    openStore(recover ? config.recover(Set.of(APP)) : config);
    server = startServer();
  }
}
