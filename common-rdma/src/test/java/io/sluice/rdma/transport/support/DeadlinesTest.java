package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.threads.UnsayableError;
import io.sluice.rdma.transport.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DeadlinesTest {
  private final LeakCheck leaks = new LeakCheck();

  @AfterEach
  void checkForLeaks() throws Exception {
    leaks.check();
  }

  @Test
  void anEarlierDeadlineWakesAThreadThatSleepsForALaterOne() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      LinkedBlockingQueue<Integer> fired = new LinkedBlockingQueue<>();
      deadlines.after(20_000, () -> fired.add(3));
      deadlines.after(2_000, () -> fired.add(2));
      deadlines.after(20, () -> fired.add(1));
      assertEquals(1, fired.poll(10, TimeUnit.SECONDS));
      assertEquals(2, fired.poll(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void aCancelledOneDoesNotFireAndAFailingOneStopsNoOther() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      LinkedBlockingQueue<String> fired = new LinkedBlockingQueue<>();
      deadlines.after(1_000, () -> fired.add("cancelled")).cancel();
      deadlines.after(
          1_005,
          () -> {
            throw new IllegalStateException("expected by the test");
          });
      deadlines.after(1_010, () -> fired.add("kept"));
      assertEquals("kept", fired.poll(10, TimeUnit.SECONDS));
      assertTrue(fired.isEmpty());
    }
  }

  @Test
  void repeats() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      CountDownLatch thrice = new CountDownLatch(3);
      deadlines.every(1, thrice::countDown);
      assertTrue(thrice.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void aCheckThatFailsOnceRunsAgain() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      CountDownLatch again = new CountDownLatch(3);
      deadlines.every(
          1,
          () -> {
            again.countDown();
            throw new IllegalStateException("expected by this test");
          });
      assertTrue(again.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void anErrorInOneLeavesTheOthers() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      CountDownLatch fired = new CountDownLatch(1);
      deadlines.after(
          1,
          () -> {
            throw new OutOfMemoryError("expected by this test");
          });
      deadlines.after(5, fired::countDown);
      assertTrue(fired.await(120, TimeUnit.SECONDS));
    }
  }

  /** Else the read whose deadline it was would never end. */
  @Test
  void oneThatLackedMemoryRunsAgain() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      CountDownLatch thrice = new CountDownLatch(3);
      deadlines.after(
          1,
          () -> {
            thrice.countDown();
            if (thrice.getCount() > 0) {
              throw new OutOfMemoryError("expected by this test");
            }
          });
      assertTrue(thrice.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void anErrorThatCannotEvenBeSaidLeavesTheOthers() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      CountDownLatch fired = new CountDownLatch(3);
      deadlines.every(
          1,
          () -> {
            fired.countDown();
            throw new UnsayableError();
          });
      assertTrue(fired.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void noneIsForgottenWhenManyThreadsSetThem() throws Exception {
    try (Deadlines deadlines = new Deadlines("sluice-test")) {
      int perThread = 2_000;
      CountDownLatch fired = new CountDownLatch(4 * perThread);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Random random = new Random(t);
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < perThread; i++) {
                    deadlines.after(random.nextInt(40), fired::countDown);
                    deadlines.after(20_000, () -> {}).cancel();
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertTrue(fired.await(120, TimeUnit.SECONDS), fired.getCount() + " never fired");
    }
  }
}
