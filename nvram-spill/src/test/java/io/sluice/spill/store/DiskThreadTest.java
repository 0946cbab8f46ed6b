package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DiskThreadTest {
  private static final Path DIRECTORY = Path.of("/disk1");

  private final AtomicInteger hanging = new AtomicInteger();
  private final DiskThread patient = new DiskThread("disk", DIRECTORY, 10_000, 60_000, hanging);
  private final DiskThread impatient = new DiskThread("disk", DIRECTORY, 10_000, 1, hanging);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final CountDownLatch cameLate = new CountDownLatch(1);

  @AfterEach
  void endThreads() {
    answer.countDown();
    patient.close();
    impatient.close();
  }

  private String hang() {
    begun.countDown();
    boolean interrupted = false;
    while (true) {
      try {
        answer.await();
        return "late" + (interrupted ? ", interrupted" : "");
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /** One whose wait is over before the work has begun is not what hangs. */
  private IOException makeHang(DiskThread thread) {
    IOException refused = null;
    while (!thread.hangs()) {
      refused = assertThrows(IOException.class, () -> thread.call(this::hang, this::late));
    }
    return refused;
  }

  private void late(String result) {
    assertEquals("late", result);
    cameLate.countDown();
  }

  @Test
  void doesItAndReturnsTheResult() throws Exception {
    assertEquals(5, patient.call(() -> 5, late -> {}));
    assertFalse(patient.hangs());
  }

  @Test
  void failsAsTheWorkDoes() {
    for (Throwable failure :
        new Throwable[] {new IOException(), new IllegalStateException(), new OutOfMemoryError()}) {
      assertSame(
          failure, assertThrows(failure.getClass(), () -> patient.run(() -> raise(failure))));
    }
  }

  private static void raise(Throwable failure) throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    throw (Error) failure;
  }

  @Test
  void whoWaitsInVainIsTheLastOneToWait() throws Exception {
    IOException first = makeHang(impatient);
    assertTrue(first.getMessage().contains("/disk1 has not answered"), first.getMessage());
    assertTrue(impatient.hangs());
    IOException second =
        assertThrows(
            DiskThread.NotBegunException.class,
            () -> impatient.run(() -> raise(new AssertionError())));
    assertTrue(second.getMessage().contains("/disk1 hangs"), second.getMessage());
    answer.countDown();
    cameLate.await();
    awaitNoneHangs();
    assertFalse(impatient.hangs());
  }

  /** A hang costs its deadline once, however many wait, and nothing of theirs is done late. */
  @Test
  void whoQueuesBehindItFailsWithIt() throws Exception {
    DiskThread thread = new DiskThread("disk", DIRECTORY, 10_000, 2_000, hanging);
    CompletableFuture<IOException> first =
        CompletableFuture.supplyAsync(
            () -> assertThrows(IOException.class, () -> thread.call(this::hang, this::late)));
    begun.await();
    assertThrows(
        DiskThread.NotBegunException.class,
        () -> thread.run(() -> raise(new AssertionError("done late"))));
    assertTrue(thread.hangs());
    assertEquals(IOException.class, first.join().getClass());
    answer.countDown();
    cameLate.await();
    awaitNoneHangs();
    thread.run(() -> {}); // behind what must not have been done
    thread.close();
  }

  @Test
  void whatIsLeftToDoLateMayHangAsWell() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    while (!impatient.hangs()) {
      assertThrows(
          IOException.class,
          () ->
              impatient.call(
                  this::hang,
                  result -> {
                    late(result);
                    awaitUninterruptibly(mayEnd);
                  }));
    }
    answer.countDown();
    cameLate.await();
    assertTrue(impatient.hangs());
    mayEnd.countDown();
    awaitNoneHangs();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatGivesSomethingBackIsDoneHoweverLate() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    makeHang(impatient);
    IOException refused =
        assertThrows(IOException.class, () -> impatient.runSometime(closed::countDown));
    assertEquals(IOException.class, refused.getClass(), "it will be done");
    answer.countDown();
    closed.await();
  }

  @Test
  void whileOneHangsTheOthersHaveLessTime() throws Exception {
    makeHang(impatient);
    DiskThread other =
        new DiskThread("disk", DIRECTORY, 10_000, 10, hanging); // a tenth of it is 1 ms
    IOException refused = makeHang(other);
    assertTrue(refused.getMessage().contains("for 1 ms"), refused.getMessage());
    assertEquals(2, hanging.get());
    answer.countDown();
    awaitNoneHangs();
    other.close();
  }

  /** So that nothing is written any more where another store may be. */
  @Test
  void whatComesAfterAllWaitsForBothThreads() throws Exception {
    for (boolean files : new boolean[] {true, false}) {
      CountDownLatch mayEnd = new CountDownLatch(1);
      CountDownLatch dropped = new CountDownLatch(1);
      try (DiskThreads threads = DiskThreads.of(DIRECTORY, 50, hanging)) {
        DiskThread held = files ? threads.files() : threads.marks();
        while (!held.hangs()) {
          assertThrows(IOException.class, () -> held.run(() -> awaitUninterruptibly(mayEnd)));
        }
        assertTrue(threads.hang());
        assertThrows(IOException.class, () -> threads.afterAll(dropped::countDown));
        assertEquals(1, dropped.getCount());
        mayEnd.countDown();
        dropped.await();
      }
    }
  }

  @Test
  void onceClosedItDoesNothingMore() throws Exception {
    patient.run(() -> {});
    patient.close();
    assertThrows(IOException.class, () -> patient.run(() -> raise(new AssertionError())));
  }

  private void awaitNoneHangs() {
    while (hanging.get() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatFailsLateFailsNobody() throws Exception {
    while (!impatient.hangs()) {
      assertThrows(IOException.class, () -> impatient.run(this::hangAndFail));
    }
    answer.countDown();
    awaitNoneHangs();
    assertFalse(impatient.hangs());
  }

  private void hangAndFail() throws IOException {
    hang();
    throw new IOException("too late");
  }

  @Test
  void itsOwnThreadDoesItAtOnce() throws Exception {
    assertEquals(
        "nested", patient.call(() -> patient.call(() -> "nested", late -> {}), late -> {}));
  }

  @Test
  void anInterruptEndsNoWaitAndStaysSet() throws Exception {
    Thread.currentThread().interrupt();
    assertFalse(patient.call(() -> Thread.currentThread().isInterrupted(), late -> {}));
    assertTrue(Thread.interrupted());
  }
}
