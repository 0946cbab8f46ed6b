package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PolledWaitTest {
  private static int looks(long limitMs) {
    PolledWait wait = new PolledWait(limitMs);
    int count = 0;
    while (!wait.isOver()) {
      count++;
    }
    assertTrue(wait.isOver()); // and stay so
    return count;
  }

  @Test
  void thereIsAlwaysOne() {
    assertEquals(1, looks(0));
    assertEquals(1, looks(999));
    assertEquals(2, looks(1_000));
    assertEquals(61, looks(60_000));
  }

  @Test
  void aThreadIsLookedAtUntilItHasEnded() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread waits =
        new Thread(
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    waits.start();
    assertFalse(PolledWait.hasEnded(waits));
    end.countDown();
    boolean ended = false;
    while (!ended) {
      ended = PolledWait.hasEnded(waits);
    }
  }
}
