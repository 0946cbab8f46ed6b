package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.it.spark.jobs.ExecutorStates.ThreadCpu;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
class ThreadCpuTest {
  private static final int THREADS = 20_000;

  /** As of a pool of the engine's whose idle threads go. */
  @Test
  @Timeout(300)
  void threadsThatEndWhileTheyAreAskedDoNotCount() {
    CompletableFuture<Void> ended = CompletableFuture.runAsync(ThreadCpuTest::startAndEnd);
    do {
      assertFalse(ThreadCpu.byName().isEmpty());
    } while (!ended.isDone());
    ended.join();
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
