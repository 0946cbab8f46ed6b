package io.sluice.bench.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ContentionTest {
  @TempDir private Path directory;

  /** Waits for a lock that the test holds, in a method with a name. */
  private static void waitFor(ReentrantLock lock) {
    lock.lock();
    lock.unlock();
  }

  private static Thread waiting(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void namesWhereTasksWaitAndTellsLocksFromWork() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch work = new CountDownLatch(1);
    Path file = directory.resolve("waits.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ThreadPark").withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      lock.lock();
      Thread locked = waiting("sluice-map job_1 1", () -> waitFor(lock));
      Thread other = waiting("somebody else", () -> waitFor(lock));
      Thread idle =
          waiting(
              "sluice-reduce job_1 2",
              () -> {
                try {
                  work.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      lock.unlock();
      work.countDown();
      for (Thread each : List.of(locked, other, idle)) {
        each.join();
      }
      recording.dump(file);
    }
    List<Contention.Point> points = Contention.read(file);
    Contention.Point ofLock =
        points.stream().filter(Contention.Point::isLock).findFirst().orElseThrow();
    assertEquals("ContentionTest.waitFor", ofLock.method());
    assertEquals(1, ofLock.count(), "not of a thread that is no task's");
    Contention.Point ofWork =
        points.stream().filter(point -> !point.isLock()).findFirst().orElseThrow();
    assertTrue(ofWork.lock().contains("CountDownLatch"), ofWork.lock());
    assertEquals(2, points.size());
    assertFalse(points.get(0).waitedMs() < points.get(1).waitedMs());
  }

  @Test
  void theShareUnderALockIsTheRootOfWhatTwoThreadsWaitForIt() {
    List<Contention.Point> points =
        List.of(
            new Contention.Point("Condition", "a", false, 1, 900),
            new Contention.Point("Lock", "b", true, 1, 40),
            new Contention.Point("Lock", "c", true, 1, 10));
    assertEquals(0.2, Contention.lockShare(points, 1_000), 1e-9);
    assertEquals(0, Contention.lockShare(List.of(), 1_000));
  }
}
