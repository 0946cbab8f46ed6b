package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.BufferSet.NoBufferException;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When an output that could not be copied is tried again. */
@Timeout(300)
class CopyThreadTest extends PoolTestBase {
  private static final long SHORT_MS = 1;

  private final AtomicInteger attempts = new AtomicInteger();
  private SpillStore store;
  private CommittedOutput any;
  private CommittedOutput other;
  private CopyThread thread;

  @BeforeEach
  void commitTwo() throws IOException {
    store = open(config(1).build());
    Random random = seeded("CopyThreadTest");
    try (Lease lease = store.openLease(APP)) {
      commit(lease, id(1), random, 1_000);
      commit(lease, id(2), random, 1_000);
    }
    any = store.find(id(1)).orElseThrow();
    other = store.find(id(2)).orElseThrow();
  }

  private void start(CopyThread.Work work) {
    thread = new CopyThread(work, SHORT_MS);
    thread.start();
  }

  @AfterEach
  void end() throws IOException {
    thread.stop();
    thread.awaitEnd();
    store.close();
  }

  @Test
  void whatFailsIsTriedThreeTimesAndDoesNotStopTheNext() throws Exception {
    CountDownLatch tried = new CountDownLatch(CopyThread.MOST_ATTEMPTS);
    CountDownLatch next = new CountDownLatch(1);
    start(
        output -> {
          if (output == any) {
            attempts.incrementAndGet();
            tried.countDown();
            throw new IOException("of the test");
          }
          next.countDown();
        });
    thread.add(any);
    assertTrue(tried.await(120, TimeUnit.SECONDS));
    thread.add(other);
    assertTrue(next.await(120, TimeUnit.SECONDS));
    assertEquals(CopyThread.MOST_ATTEMPTS, attempts.get());
    assertEquals(CopyThread.MOST_ATTEMPTS, thread.failures());
  }

  @Test
  void aFullDiskIsTriedUntilItHasRoom() throws Exception {
    CountDownLatch copied = new CountDownLatch(1);
    start(
        output -> {
          if (attempts.incrementAndGet() < 10) {
            throw new StoreFullException("of the test");
          }
          copied.countDown();
        });
    thread.add(any);
    assertTrue(copied.await(120, TimeUnit.SECONDS));
    assertEquals(0, thread.failures());
  }

  /** Others have all of them for as long as they read. */
  @Test
  void whatFindsNoBufferIsTriedUntilItHasOne() throws Exception {
    CountDownLatch copied = new CountDownLatch(1);
    start(
        output -> {
          if (attempts.incrementAndGet() < 10) {
            throw new NoBufferException("of the test");
          }
          copied.countDown();
        });
    thread.add(any);
    assertTrue(copied.await(120, TimeUnit.SECONDS));
    assertEquals(0, thread.failures());
  }

  /** A large one is no reason for a small one to have none. */
  @Test
  void whatFindsNoRoomIsTriedBehindTheOthers() throws Exception {
    CountDownLatch copied = new CountDownLatch(1);
    start(
        output -> {
          if (output == any) {
            throw new StoreFullException("of the test");
          }
          copied.countDown();
        });
    thread.add(any);
    thread.add(other);
    assertTrue(copied.await(120, TimeUnit.SECONDS));
  }
}
