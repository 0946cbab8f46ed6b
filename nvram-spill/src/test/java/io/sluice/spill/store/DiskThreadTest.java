package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DiskThreadTest {
  private static final Path DIRECTORY = Path.of("/disk1");

  private final DiskThread patient = new DiskThread(DIRECTORY, 60_000);
  private final DiskThread impatient = new DiskThread(DIRECTORY, 1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final CountDownLatch cameLate = new CountDownLatch(1);

  private String hang() {
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
    IOException first =
        assertThrows(IOException.class, () -> impatient.call(this::hang, this::late));
    assertTrue(first.getMessage().contains("/disk1 has not answered"), first.getMessage());
    assertTrue(impatient.hangs());
    IOException second =
        assertThrows(IOException.class, () -> impatient.run(() -> raise(new AssertionError())));
    assertTrue(second.getMessage().contains("/disk1 hangs"), second.getMessage());
    answer.countDown();
    cameLate.await();
    assertFalse(impatient.hangs());
  }

  @Test
  void whatFailsLateFailsNobody() throws Exception {
    assertThrows(IOException.class, () -> impatient.run(this::hangAndFail));
    answer.countDown();
    while (impatient.hangs()) {
      Thread.onSpinWait();
    }
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
