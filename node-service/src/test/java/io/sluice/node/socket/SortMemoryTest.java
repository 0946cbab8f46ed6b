package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.RevocationListener.RevocationConnection;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.sort.ChunkSourceContract;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.testing.TestPool;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sort buffers that lie in a node's pool, and how it gets them back. */
class SortMemoryTest extends SocketServerTestBase implements ChunkSourceContract {
  private static final String OTHER = "application_2_0001";

  /** In these tests nothing can be claimed, so that all is lent. */
  private static final long OWN_BYTES = 1 << 20;

  private static final long NOBODY_IS_LATE_MS = 600_000;
  private final Deque<Closeable> open = new ArrayDeque<>();

  @Override
  GrantTerms terms() {
    return new GrantTerms(OWN_BYTES, 100, NOBODY_IS_LATE_MS, NOBODY_IS_LATE_MS);
  }

  @Override
  StoreConfig.Builder pool() {
    return super.pool().wholeAtStart(true);
  }

  @BeforeEach
  void awaitPool() {
    long wholeBytes = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
    Await.until("it is there", () -> store.stats().memory().createdBytes() == wholeBytes);
  }

  @AfterEach
  void end() throws IOException {
    while (!open.isEmpty()) {
      open.pop().close();
    }
    awaitNothingLeased();
    Await.until("nobody holds anything", () -> memory.snapshot().holdings().isEmpty());
  }

  private <C extends Closeable> C opened(C made) {
    open.push(made);
    return made;
  }

  private SocketClient map(String application, long ownBytes) throws IOException {
    return opened(
        SocketClient.connect(
            socket(),
            SeenFromElsewhere.owner(access()),
            Borrower.map("attempt_of_" + application, ownBytes),
            application,
            SECRET,
            Timeouts.all(TIMEOUT_MS)));
  }

  @Override
  public ChunkSource source() throws IOException {
    SocketClient client = map(APP, 0);
    WriteTarget target = WriteTarget.mapped(client, new PlainMedium());
    return opened(new PoolChunks(client, target.memory()));
  }

  private Map<MemoryKind, Long> heldBy(String application) {
    return memory.snapshot().holdings().stream()
        .filter(holding -> holding.who().application().equals(application))
        .map(Holding::bytes)
        .findFirst()
        .orElseThrow();
  }

  private static List<Extent> borrowAll(SocketClient client) throws IOException {
    List<Extent> all = new ArrayList<>();
    for (Optional<Extent> next = borrow(client); next.isPresent(); next = borrow(client)) {
      all.add(next.get());
    }
    return all;
  }

  private static Optional<Extent> borrow(SocketClient client) throws IOException {
    return client.leaseMemory(MemoryUse.SORT, CHUNK_BYTES);
  }

  /** Of many that claim what is not lent, the first for which nothing is left. */
  private SocketClient refused() throws IOException {
    SocketClient wanting = map(OTHER, 0);
    while (borrow(wanting).isPresent()) {
      wanting = map(OTHER, 0);
    }
    return wanting;
  }

  @Test
  void aChunkIsChargedToItsTaskWithRoomForItsRuns() throws IOException {
    SocketClient client = map(APP, OWN_BYTES);
    List<Extent> chunk = borrow(client).stream().toList();
    Holding.HolderId who = memory.snapshot().holdings().get(0).who();
    assertEquals("attempt_of_" + APP, who.task());
    assertEquals(APP, who.application());
    assertEquals(HolderRole.MAP, who.role());
    assertEquals(CHUNK_BYTES, heldBy(APP).get(MemoryKind.SORT));
    assertEquals(CHUNK_BYTES, heldBy(APP).get(MemoryKind.ROOM));
    List<Extent> run = client.lease(CHUNK_BYTES);
    assertEquals(0, heldBy(APP).get(MemoryKind.ROOM));
    assertEquals(CHUNK_BYTES, heldBy(APP).get(MemoryKind.WRITING));
    client.release(chunk);
    assertEquals(0, heldBy(APP).get(MemoryKind.SORT));
    client.release(run);
    assertEquals(0, leasedBytes());
  }

  @Test
  void aTaskThatEndsHoldsNothing() throws IOException {
    SocketClient client = map(APP, OWN_BYTES);
    assertTrue(borrowAll(client).size() > 2);
    client.close();
    awaitNothingLeased();
    Await.until("it holds nothing", () -> memory.snapshot().holdings().isEmpty());
  }

  @Test
  void aListenerHearsWhatItsTaskIsToGiveBack() throws IOException {
    SocketClient lender = map(APP, OWN_BYTES);
    RevocationConnection listening = opened(lender.listen());
    List<Extent> all = borrowAll(lender);
    SocketClient wanting = refused();
    RevocationNotice notice = listening.await();
    assertTrue(notice.epoch() > 0);
    assertTrue(notice.sortBytes() < (long) all.size() * CHUNK_BYTES, notice.toString());
    assertEquals(Long.MAX_VALUE, notice.receiveBytes());
    lender.release(all);
    assertTrue(borrow(wanting).isPresent());
  }

  @Test
  void whoHasObeyedIsToGiveBackNothing() throws IOException {
    SocketClient lender = map(APP, OWN_BYTES);
    RevocationConnection listening = opened(lender.listen());
    List<Extent> all = borrowAll(lender);
    refused();
    lender.release(all);
    assertEquals(Long.MAX_VALUE, listening.await().sortBytes());
  }

  @Test
  void aListenerOfNoLeaseOfItsOwnIsRefused() throws IOException {
    long generation = map(OTHER, 0).info().generation();
    for (long foreign : new long[] {generation, generation + 100, -1}) {
      ServiceLink link = ServiceLink.to(socket(), SeenFromElsewhere.owner(access()));
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () ->
                  RevocationConnection.open(
                      link, SocketProtocol.VERSIONS, APP, SECRET, foreign, TIMEOUT_MS));
      assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      assertTrue(e.getMessage().contains("has lease " + foreign), e.getMessage());
    }
    assertEquals(3, refusals.counts().get(RefusalKind.BAD_MESSAGE));
  }

  @Test
  void aListenerIsLeftWhenItsTaskEnds() throws IOException {
    SocketClient client = map(APP, 0);
    RevocationConnection listening = opened(client.listen());
    client.close();
    assertThrows(IOException.class, listening::await);
  }
}
