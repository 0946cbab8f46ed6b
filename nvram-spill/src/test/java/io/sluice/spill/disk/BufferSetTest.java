package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class BufferSetTest {
  private static final DiskStream LARGE_1 = new DiskStream("user", "large", 1);
  private static final DiskStream LARGE_2 = new DiskStream("user", "large", 2);
  private static final DiskStream SMALL = new DiskStream("user", "small", 3);
  private static final long LONG_MS = 120_000;

  private final long allocatedBefore = OffHeap.allocatedBytes();
  private final BufferSet buffers = new BufferSet(4, 8192, 2);
  private final List<BufferSet.Buffer> taken = new ArrayList<>();

  private void take(DiskStream stream) {
    taken.add(buffers.tryAcquire(stream).orElseThrow());
  }

  @AfterEach
  void nothingIsLeft() {
    taken.forEach(BufferSet.Buffer::close);
    buffers.close();
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  @Test
  void buffersAreAlignedAndTheirOwn() {
    take(SMALL);
    take(SMALL);
    for (BufferSet.Buffer each : taken) {
      assertEquals(8192, each.bytes().remaining());
      assertEquals(0, each.bytes().alignmentOffset(0, BufferSet.ALIGNMENT_BYTES));
    }
    taken.get(0).bytes().putInt(0, 1);
    assertEquals(0, taken.get(1).bytes().getInt(0));
  }

  @Test
  void aStreamHoldsNoMoreThanItsShare() {
    take(LARGE_1);
    take(LARGE_1);
    assertEquals(Optional.empty(), buffers.tryAcquire(LARGE_1));
    take(LARGE_2);
    take(LARGE_2);
    assertEquals(0, buffers.available());
  }

  /** Half is enough for the large one as soon as another application waits. */
  @Test
  void anApplicationGivesWayToOneThatWaits() throws Exception {
    for (DiskStream each : List.of(LARGE_1, LARGE_1, LARGE_2, LARGE_2)) {
      take(each);
    }
    CompletableFuture<Optional<BufferSet.Buffer>> small =
        CompletableFuture.supplyAsync(() -> acquire(SMALL));
    taken.remove(0).close();
    BufferSet.Buffer got = small.get(120, TimeUnit.SECONDS).orElseThrow();
    got.close();
  }

  @Test
  void theLargeOneGetsNoMoreWhileAnotherWaits() throws Exception {
    take(SMALL);
    take(SMALL);
    take(LARGE_1);
    take(LARGE_2);
    CompletableFuture<Optional<BufferSet.Buffer>> waiting =
        CompletableFuture.supplyAsync(() -> acquire(new DiskStream("user", "third", 4)));
    CompletableFuture<Optional<BufferSet.Buffer>> greedy =
        CompletableFuture.supplyAsync(() -> acquire(LARGE_1));
    while (buffers.waiting() < 2) {
      Thread.onSpinWait();
    }
    taken.remove(0).close(); // one comes back: it is not for who has half
    waiting.get(120, TimeUnit.SECONDS).orElseThrow().close();
    greedy.get(120, TimeUnit.SECONDS).orElseThrow().close();
  }

  /** A user with many applications has a half like one with a single application. */
  @Test
  void aUserGivesWayToOneWhoWaits() throws Exception {
    for (int i = 0; i < 4; i++) {
      take(new DiskStream("greedy", "application " + i, i));
    }
    CompletableFuture<Optional<BufferSet.Buffer>> more =
        CompletableFuture.supplyAsync(() -> acquire(new DiskStream("greedy", "fifth", 4)));
    while (buffers.waiting() < 1) {
      Thread.onSpinWait();
    }
    CompletableFuture<Optional<BufferSet.Buffer>> small =
        CompletableFuture.supplyAsync(() -> acquire(SMALL));
    while (buffers.waiting() < 2) {
      Thread.onSpinWait();
    }
    taken.remove(0).close(); // who asked first has three besides
    taken.add(small.get(120, TimeUnit.SECONDS).orElseThrow());
    taken.remove(0).close();
    taken.add(more.get(120, TimeUnit.SECONDS).orElseThrow());
  }

  /** In the order in which they came, and nobody is woken in vain. */
  @Test
  void aBufferThatComesBackWakesTheOneWhoseTurnItIs() throws Exception {
    int threads = 32;
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Thread> waiting = new ArrayList<>();
    try (BufferSet one = new BufferSet(1, 8192, 1)) {
      BufferSet.Buffer held = one.tryAcquire(SMALL).orElseThrow();
      for (int i = 0; i < threads; i++) {
        int number = i;
        Thread thread =
            new Thread(
                () -> {
                  try (BufferSet.Buffer buffer =
                      one.acquire(
                              new DiskStream("user " + number % 3, "application", number),
                              0,
                              LONG_MS)
                          .orElseThrow()) {
                    buffer.bytes().putInt(0, number);
                    order.add(number);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
        waiting.add(thread);
        thread.start();
        while (one.waiting() <= i) {
          Thread.onSpinWait();
        }
      }
      held.close();
      for (Thread each : waiting) {
        each.join(LONG_MS);
      }
      assertEquals(IntStream.range(0, threads).boxed().toList(), order);
      assertEquals(threads, one.wakeUps());
    }
  }

  /** Also if it was granted one in the same moment. */
  @Test
  void whoIsInterruptedHoldsNothing() throws Exception {
    for (int i = 0; i < 200; i++) {
      BufferSet.Buffer first = buffers.tryAcquire(SMALL).orElseThrow();
      final BufferSet.Buffer second = buffers.tryAcquire(SMALL).orElseThrow();
      Thread thread =
          new Thread(
              () -> {
                try {
                  buffers.acquire(SMALL, 0, LONG_MS).ifPresent(BufferSet.Buffer::close);
                } catch (InterruptedException e) {
                  return; // as it may be
                }
              });
      thread.start();
      while (buffers.waiting() < 1) {
        Thread.onSpinWait();
      }
      Thread interrupting = new Thread(thread::interrupt);
      interrupting.start();
      first.close();
      thread.join(LONG_MS);
      interrupting.join(LONG_MS);
      second.close();
      assertEquals(4, buffers.available());
      assertEquals(0, buffers.waiting());
    }
  }

  @Test
  void whoWaitsIsToldOfTheEnd() throws Exception {
    take(LARGE_1);
    take(LARGE_1);
    CompletableFuture<Optional<BufferSet.Buffer>> waiting =
        CompletableFuture.supplyAsync(() -> acquire(LARGE_1));
    while (buffers.waiting() < 1) {
      Thread.onSpinWait();
    }
    buffers.close();
    assertEquals(Optional.empty(), waiting.get(120, TimeUnit.SECONDS)); // before its deadline
  }

  private Optional<BufferSet.Buffer> acquire(DiskStream stream) {
    try {
      return buffers.acquire(stream, 0, LONG_MS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theWaitHasAnEnd() throws Exception {
    take(SMALL);
    take(SMALL);
    assertEquals(Optional.empty(), buffers.acquire(SMALL, 0, 1));
  }

  /** What frees memory waits for no map that writes. */
  @Test
  void someAreLeftToWhoIsMoreUrgent() throws Exception {
    take(LARGE_1);
    take(LARGE_1);
    take(SMALL);
    assertEquals(Optional.empty(), buffers.acquire(LARGE_2, 1, 1));
    taken.add(buffers.acquire(LARGE_2, 0, 1).orElseThrow());
  }

  @Test
  void givingBackTwiceIsAnError() {
    BufferSet.Buffer buffer = buffers.tryAcquire(SMALL).orElseThrow();
    buffer.close();
    assertThrows(IllegalStateException.class, buffer::close);
  }

  @Test
  void whatIsOutKeepsTheMemoryUntilItIsBack() {
    take(SMALL);
    buffers.close();
    taken.get(0).bytes().putInt(0, 1);
    assertTrue(OffHeap.allocatedBytes() > allocatedBefore);
    assertEquals(Optional.empty(), buffers.tryAcquire(LARGE_1));
  }
}
