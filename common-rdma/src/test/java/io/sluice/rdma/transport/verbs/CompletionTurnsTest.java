package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread takes completions; the tests' time limit ends those in which none does. */
@Timeout(300)
class CompletionTurnsTest extends FakeVerbsTestBase {
  private static void await(CompletableFuture<?> future) throws Exception {
    future.get(LONG_MS, TimeUnit.MILLISECONDS);
  }

  /** Reads until a callback has run on the thread that waits, while it waited. */
  private static void readUntilPolled(Pair s, Runnable callback) throws Exception {
    Thread waiting = Thread.currentThread();
    AtomicBoolean polled = new AtomicBoolean();
    while (!polled.get()) {
      AtomicBoolean waits = new AtomicBoolean();
      CompletableFuture<Void> read = s.read();
      CompletableFuture<Void> called =
          read.thenRun(
              () -> {
                if (waits.get() && Thread.currentThread() == waiting) {
                  callback.run();
                  polled.set(true);
                }
              });
      waits.set(true);
      await(read);
      await(called);
    }
  }

  @Test
  void aThreadThatWaitsPollsAndOthersAreServedAllTheSame() throws Exception {
    try (Pair s = new Pair()) {
      for (int i = 0; i < 20; i++) {
        readUntilPolled(s, () -> {});
        await(s.read().thenRun(() -> {})); // nobody waits for the read itself
      }
    }
  }

  @Test
  void aCallbackOnAThreadThatWaitsMayReadOnAndClose() throws Exception {
    try (Pair s = new Pair()) {
      List<CompletableFuture<Void>> further = new ArrayList<>();
      readUntilPolled(s, () -> further.add(s.read()));
      await(further.get(0));
      s.read(); // nobody waits for it
      readUntilPolled(s, s.connection::close);
      assertFalse(s.connection.isOpen());
      assertInstanceOf(ConnectionLostException.class, failure(s.read()));
    }
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void manyThreadsWaitOnOneConnectionUntilItIsClosed() throws Exception {
    try (Pair s = new Pair()) {
      AtomicInteger begun = new AtomicInteger();
      List<CompletableFuture<Throwable>> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            CompletableFuture.supplyAsync(
                () -> {
                  while (true) {
                    try {
                      await(s.read());
                      begun.incrementAndGet();
                    } catch (ExecutionException e) {
                      return e.getCause();
                    } catch (Exception e) {
                      return e;
                    }
                  }
                },
                run -> new Thread(run).start()));
      }
      while (begun.get() < 2000) {
        Thread.onSpinWait();
      }
      s.connection.close();
      for (CompletableFuture<Throwable> thread : threads) {
        await(thread);
        assertInstanceOf(ConnectionLostException.class, thread.join());
      }
      while (!verbs.live().equals(s.idle)) { // the server's end ends on its own thread
        Thread.onSpinWait();
      }
    }
  }

  /** To sleep and to be woken costs more than the turn in which another thread asks for events. */
  @Test
  void aThreadThatWaitsPollsOnWhileAnotherHasTheTurn() throws Exception {
    try (VerbsDevices devices = VerbsDevices.openAll(verbs, verbs.sysClass())) {
      VerbsDomains domains = VerbsDomains.allocate(devices);
      VerbsPort port = devices.portOf(HERE);
      VerbsReadQueue queue = VerbsReadQueue.create(port, domains.of(port.device()));
      CompletionTurns turns = new CompletionTurns(queue, () -> true, () -> {});
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(
              () ->
                  turns.last(
                      () -> {
                        begun.countDown();
                        assertDoesNotThrow(() -> end.await());
                      }),
              run -> new Thread(run).start());
      begun.await();
      AtomicInteger looked = new AtomicInteger();
      turns.poll(() -> looked.incrementAndGet() == 3);
      assertTrue(looked.get() >= 3, "it gave up");
      end.countDown();
      await(other);
      queue.close();
      domains.close();
    }
    assertEquals(List.of(), verbs.live());
  }

  /** The library would use memory that it has freed. */
  @Test
  void afterTheEndNoThreadUsesTheQueue() throws Exception {
    try (VerbsDevices devices = VerbsDevices.openAll(verbs, verbs.sysClass())) {
      VerbsDomains domains = VerbsDomains.allocate(devices);
      VerbsPort port = devices.portOf(HERE);
      VerbsReadQueue queue = VerbsReadQueue.create(port, domains.of(port.device()));
      AtomicBoolean open = new AtomicBoolean(true);
      CompletionTurns turns = new CompletionTurns(queue, open::get, () -> {});
      turns.last(
          () -> {
            open.set(false);
            assertDoesNotThrow(queue::close);
          });
      turns.run();
      for (int i = 0; i < 4; i++) { // not each of them would poll
        turns.poll(() -> false);
      }
      domains.close();
    }
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void aThreadThatIsInterruptedWaitsNoLonger() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> read = s.read();
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> await(read));
      assertFalse(read.isDone());
      s.connection.close();
      assertInstanceOf(ConnectionLostException.class, failure(read));
    }
  }
}
