package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadCpuTest {
  private static final int THREADS = 20_000;

  /** As of a pool of the engine's whose idle threads go. */
  @Test
  void threadsThatEndWhileTheyAreAskedDoNotCount() throws Exception {
    CompletableFuture<Void> ended = CompletableFuture.runAsync(ThreadCpuTest::startAndEnd);
    do {
      assertFalse(ThreadCpu.byName().isEmpty());
    } while (!ended.isDone());
    ended.get(1, TimeUnit.MINUTES);
  }

  private static void startAndEnd() {
    try {
      for (int i = 0; i < THREADS; i++) {
        Thread thread = new Thread(() -> {});
        thread.start();
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
