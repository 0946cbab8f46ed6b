package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Map tasks that borrow of one node: they obey, or do not, are killed, or lose the service. */
class SortGrantsTest extends SocketServerTestBase {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int APPLICATIONS = 3;
  private static final int MAPS = 6;
  private static final int STEPS = 150;

  /** Whoever does not obey at once is late. */
  @Override
  GrantTerms terms() {
    return new GrantTerms(512 << 10, 20, 1, 1);
  }

  @Override
  StoreConfig.Builder pool() {
    return TestPool.withDisk(directory, SEGMENTS).wholeAtStart(true);
  }

  @BeforeEach
  void fill() {
    long wholeBytes = (long) SEGMENTS * TestPool.SEGMENT_BYTES;
    Await.until("it is there", () -> store.stats().memory().createdBytes() == wholeBytes);
    memory.moveOutputsOf(store);
  }

  /** A map task: what it has collected is a number in each word of its chunks. */
  private final class FakeMap implements Closeable {
    private final SocketClient client;
    private final PoolChunks chunks;
    private final List<ByteBuffer> buffer = new ArrayList<>();
    private final List<Long> numbers = new ArrayList<>();
    private RevocationListener listener;

    FakeMap(String application, long ownBytes) throws IOException {
      client =
          SocketClient.connect(
              socket(),
              SeenFromElsewhere.owner(access()),
              Borrower.map("map", ownBytes),
              application,
              SECRET,
              Timeouts.all(TIMEOUT_MS));
      chunks = new PoolChunks(client, WriteTarget.mapped(client, new PlainMedium()).memory());
    }

    FakeMap listening() throws IOException {
      if (listener != null) {
        listener.close();
      }
      listener =
          RevocationListener.start(
              client.listen(),
              notice -> chunks.keepAtMost(notice.sortBytes()),
              () -> chunks.keepAtMost(0));
      return this;
    }

    boolean collect(long number) throws IOException {
      ByteBuffer chunk = chunks.allocate(CHUNK_BYTES);
      if (chunk == null) {
        return false;
      }
      for (int at = 0; at < CHUNK_BYTES; at += Long.BYTES) {
        chunk.putLong(at, number);
      }
      buffer.add(chunk);
      numbers.add(number);
      return true;
    }

    void check() {
      for (int i = 0; i < buffer.size(); i++) {
        for (int at = 0; at < CHUNK_BYTES; at += Long.BYTES) {
          assertEquals(numbers.get(i), buffer.get(i).getLong(at), "what was collected");
        }
      }
    }

    void spill() throws IOException {
      check();
      if (!buffer.isEmpty()) {
        client.release(client.lease((long) buffer.size() * CHUNK_BYTES));
      }
      chunks.free(buffer);
      buffer.clear();
      numbers.clear();
    }

    @Override
    public void close() throws IOException {
      try (client;
          chunks) {
        if (listener != null) {
          listener.close();
        }
      }
    }
  }

  private void run(int number, Random random) throws IOException {
    boolean obeys = random.nextInt(3) > 0;
    boolean killed = random.nextInt(4) == 0;
    String application = "application_%d_0001".formatted(number % APPLICATIONS);
    try (FakeMap map = new FakeMap(application, random.nextInt(2) * (1L << 20))) {
      if (random.nextInt(4) > 0) {
        map.listening();
      }
      for (int step = 0; step < STEPS; step++) {
        boolean full = !map.collect(number * 1_000_000L + step);
        if (full || obeys && map.chunks.isWantedBack() || random.nextInt(40) == 0) {
          map.spill();
        }
        if (random.nextInt(20) == 0) {
          commit(map.client, application, number, step, random);
        }
      }
      map.check();
      if (!killed) {
        map.spill();
      }
    }
  }

  private static void commit(
      SocketClient client, String application, int number, int step, Random random)
      throws IOException {
    String id = "attempt_%d_%d".formatted(number, step);
    TestOutput.single(random, id, 1 + random.nextInt(300_000)).commit(application, client);
  }

  @Test
  void whatIsCollectedStaysAndAllComesBack() throws Exception {
    long seed = TestSeed.next();
    List<CompletableFuture<Void>> maps = new ArrayList<>();
    for (int i = 0; i < MAPS; i++) {
      int number = i;
      maps.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  run(number, new Random(seed + number));
                } catch (IOException e) {
                  throw new AssertionError("map " + number, e);
                }
              },
              command -> new Thread(command).start()));
    }
    for (CompletableFuture<Void> map : maps) {
      map.get();
    }
    for (int i = 0; i < APPLICATIONS; i++) {
      store.freeApplication("application_%d_0001".formatted(i));
    }
    awaitNothingLeased();
    Await.until("nobody holds anything", () -> memory.snapshot().holdings().isEmpty());
    var ledger = memory.snapshot().ledger();
    Await.until(
        "all is free", () -> memory.snapshot().ledger().freeBytes() == ledger.capacityBytes());
  }

  /** It is lent nothing more until it has obeyed, and keeps what it has collected. */
  @Test
  void whoDoesNotObeyLosesItsNextStepAndNothingElse() throws IOException {
    try (FakeMap deaf = new FakeMap(APP, 1 << 20);
        FakeMap other = new FakeMap("application_2_0001", 0)) {
      deaf.client.listen().close();
      int held = 0;
      while (deaf.collect(held)) {
        held++;
      }
      Await.until("the other one is refused", () -> isRefused(other));
      Await.until("it is late", () -> holding(APP).late());
      assertNull(deaf.chunks.allocate(CHUNK_BYTES));
      deaf.check();
      deaf.spill();
      Await.until("it is lent to again", () -> !isRefused(deaf));
      deaf.spill();
      other.spill();
    }
  }

  private Holding holding(String application) {
    return memory.snapshot().holdings().stream()
        .filter(found -> found.who().application().equals(application))
        .findFirst()
        .orElseThrow();
  }

  private static boolean isRefused(FakeMap map) {
    try {
      return !map.collect(0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void restart(boolean recover) throws IOException {
    store.quiesce();
    memory.close();
    server.close();
    store.close();
    records = LeaseRecords.open(socket(), recover);
    StoreConfig.Builder config = pool().formerLeases(records);
    openStore(recover ? config.recover(Set.of(APP)) : config);
    server = startServer();
  }

  @Test
  void whatWasCollectedOutlivesAServiceThatKeepsThePool() throws IOException {
    try (FakeMap map = new FakeMap(APP, 0).listening()) {
      LeaseInfo before = map.client.info();
      assertTrue(map.collect(1));
      assertTrue(map.collect(2));
      restart(true);
      Await.until("it hears nothing more", map.listener::hasEnded);
      assertTrue(map.chunks.isWantedBack(), "for whoever does not hear");
      map.check();
      map.spill();
      assertTrue(before.generation() < map.client.info().generation());
      map.listening();
      Await.until("what it gave back is free", () -> !isRefused(map));
      map.spill();
    }
    awaitNothingLeased();
  }

  @Test
  void anEmptiedPoolIsAClearFailure() throws IOException {
    try (FakeMap map = new FakeMap(APP, 0)) {
      assertTrue(map.collect(1));
      restart(false);
      map.check();
      IOException e = assertThrows(IOException.class, map::spill);
      assertTrue(e.getMessage().contains("restarted with an empty pool"), e.getMessage());
    }
  }

  @Test
  void aStoreThatIsFullLendsNothingAndStillTakesRuns() throws IOException {
    try (FakeMap map = new FakeMap(APP, 0);
        SocketClient writer = connect("application_3_0001")) {
      try {
        writer.lease((long) SEGMENTS * TestPool.SEGMENT_BYTES);
      } catch (StoreFullException e) {
        throw new AssertionError("there is a disk", e);
      }
      Await.until("there is nothing to lend", () -> isRefused(map));
      map.spill();
      commit(map.client, APP, 0, 0, new Random(1));
      assertNotNull(store.find(new OutputId(APP, "attempt_0_0")).orElse(null));
    }
  }
}
