package io.sluice.rdma.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {

  /** A NodeManager ends by an error that reaches this handler, and an executor of Spark's too. */
  @Test
  void whatOneDiesOfNeverReachesTheProcess() throws Exception {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
    long unsaid = LastWords.unsaid();
    try {
      for (Error error : List.of(new OutOfMemoryError("expected"), new UnsayableError())) {
        Thread thread =
            DaemonThreads.create(
                "sluice-test",
                () -> {
                  throw error;
                });
        assertTrue(thread.isDaemon());
        thread.start();
        thread.join();
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of(), uncaught);
    assertEquals(unsaid + 1, LastWords.unsaid());
  }
}
