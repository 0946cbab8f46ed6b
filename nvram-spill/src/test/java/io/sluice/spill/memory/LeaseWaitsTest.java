package io.sluice.spill.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many threads wait, and only those that are meant are woken. */
@Timeout(300)
class LeaseWaitsTest {
  private static final int WAITERS = 16;

  @TempDir private Path directory;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Waiter> waiters = new ArrayList<>();
  private final List<Thread> ticks = new ArrayList<>();
  private final LeaseWaits waits = new LeaseWaits(lock, () -> ticks.add(Thread.currentThread()));
  private SpillStore store;

  /** One that waits until it is released; all that it has is guarded by the lock. */
  private final class Waiter {
    private final Lease lease;
    private Thread thread;
    private int checks;
    private boolean released;
    private CompletableFuture<Void> ended;

    private Waiter(Lease lease) {
      this.lease = lease;
    }

    private void run() {
      locked(
          () -> {
            thread = Thread.currentThread();
            waits.awaitWhile(lease, this::check);
            return null;
          });
    }

    private boolean check() {
      checks++;
      return !released;
    }

    private void release() {
      locked(
          () -> {
            released = true;
            waits.wake(lease);
            return null;
          });
      ended.join();
    }
  }

  private <T> T locked(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      lock.unlock();
    }
  }

  @BeforeEach
  void beginToWait() throws IOException {
    store = SpillStore.open(TestPool.memory(directory, 2).build());
    for (int i = 0; i < WAITERS; i++) {
      Waiter waiter = new Waiter(store.openLease("application_1"));
      waiters.add(waiter);
      waiter.ended = CompletableFuture.runAsync(waiter::run, threads);
    }
    Await.until(
        "all wait", () -> locked(() -> waiters.stream().allMatch(waiter -> waiter.checks > 0)));
  }

  @AfterEach
  void close() throws IOException {
    waiters.forEach(Waiter::release);
    for (Waiter waiter : waiters) {
      waiter.lease.close();
    }
    store.close();
    threads.shutdown();
  }

  private Waiter timekeeper() {
    return locked(
        () ->
            waiters.stream()
                .filter(waiter -> waiter.thread == ticks.get(ticks.size() - 1))
                .findFirst()
                .orElseThrow());
  }

  private void awaitTicks(int more) {
    int before = locked(ticks::size);
    Await.until("time passes", () -> locked(ticks::size) >= before + more);
  }

  @Test
  void oneOfThemLooksAtTheTimeForAll() {
    awaitTicks(10);
    assertEquals(1, locked(() -> new HashSet<>(ticks)).size());
  }

  @Test
  void nobodyIsWokenForAnother() {
    awaitTicks(1);
    Waiter meant =
        waiters.stream().filter(waiter -> waiter != timekeeper()).findFirst().orElseThrow();
    for (int i = 0; i < 20; i++) {
      int before = locked(() -> meant.checks);
      locked(
          () -> {
            waits.wake(meant.lease);
            return null;
          });
      Await.until("it has looked", () -> locked(() -> meant.checks > before));
    }
    Set<Waiter> woken = new HashSet<>(Set.of(meant, timekeeper()));
    for (Waiter waiter : waiters) {
      assertTrue(woken.contains(waiter) || locked(() -> waiter.checks) == 1);
    }
  }

  @Test
  void whoLooksAtTheTimeLeavesThatToAnother() {
    Set<Waiter> left = new HashSet<>(waiters);
    while (left.size() > 1) {
      awaitTicks(1);
      Waiter timekeeper = timekeeper();
      timekeeper.release();
      assertTrue(left.remove(timekeeper));
      Await.until(
          "another does", () -> locked(() -> ticks.get(ticks.size() - 1)) != timekeeper.thread);
    }
  }

  @Test
  void allAreWokenTogether() {
    locked(
        () -> {
          waiters.forEach(waiter -> waiter.released = true);
          waits.wakeAll();
          return null;
        });
    waiters.forEach(waiter -> waiter.ended.join());
  }
}
