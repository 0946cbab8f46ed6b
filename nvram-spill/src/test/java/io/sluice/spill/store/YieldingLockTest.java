package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class YieldingLockTest {
  private final ReentrantLock lock = new ReentrantLock();

  @Test
  void whoeverWaitsGetsInAlthoughTheWorkGoesOn() {
    AtomicBoolean wasIn = new AtomicBoolean();
    lock.lock();
    try {
      YieldingLock turn = new YieldingLock(lock);
      CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> getIn(wasIn));
      while (!wasIn.get()) {
        turn.pass();
      }
      waiting.join();
      assertEquals(1, lock.getHoldCount());
    } finally {
      lock.unlock();
    }
  }

  @Test
  void theLockIsKeptWhileNobodyWaits() {
    lock.lock();
    try {
      YieldingLock turn = new YieldingLock(lock);
      for (int i = 0; i < 1_000; i++) {
        turn.pass();
        assertTrue(lock.isHeldByCurrentThread());
      }
    } finally {
      lock.unlock();
    }
  }

  private void getIn(AtomicBoolean wasIn) {
    lock.lock();
    try {
      wasIn.set(true);
    } finally {
      lock.unlock();
    }
  }
}
