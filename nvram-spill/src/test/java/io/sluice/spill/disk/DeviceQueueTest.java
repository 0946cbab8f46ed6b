package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue with real workers; every unit that shall block waits for a gate. */
@Timeout(300)
class DeviceQueueTest {
  private static final long PATIENT_MS = 60_000;
  private static final long HASTY_MS = 1_000;
  private static final DiskStream STREAM = new DiskStream("user", "application", 1);

  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<DeviceQueue> queues = new ArrayList<>();
  private final AtomicInteger over = new AtomicInteger();

  private DeviceQueue queue(long timeoutMs) {
    DeviceQueue queue = new DeviceQueue("device " + queues.size(), timeoutMs);
    queues.add(queue);
    return queue;
  }

  @AfterEach
  void close() {
    gate.countDown();
    queues.forEach(DeviceQueue::close);
  }

  private DiskRequest request(DiskRequest.Work work) {
    return new DiskRequest(IoClass.READ_SEND, STREAM, 1, work, over::incrementAndGet);
  }

  /** A unit at each worker, which ends when the gate is opened. */
  private List<DiskRequest> occupy(DeviceQueue queue) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(DeviceQueue.DEPTH);
    List<DiskRequest> all = new ArrayList<>();
    for (int i = 0; i < DeviceQueue.DEPTH; i++) {
      DiskRequest request =
          request(
              unit -> {
                begun.countDown();
                pass(gate);
              });
      all.add(request);
      queue.submit(request);
    }
    assertTrue(begun.await(120, TimeUnit.SECONDS), "the workers are not at work");
    return all;
  }

  private static void pass(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void awaitOver(int expected) throws InterruptedException {
    while (over.get() < expected) {
      Thread.sleep(1); // the test's own time limit ends this
    }
    assertEquals(expected, over.get());
  }

  @Test
  void unitsBeginInTheirOrderAndTheBestClassFirst() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    final List<DiskRequest> occupied = occupy(queue);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    DiskRequest last =
        new DiskRequest(
            IoClass.READ_AHEAD, STREAM, 1, unit -> done.add("moved"), over::incrementAndGet);
    DiskRequest first =
        new DiskRequest(
            IoClass.READ_SEND, STREAM, 3, unit -> done.add("read"), over::incrementAndGet);
    queue.submit(last);
    queue.submit(first);
    assertEquals(DiskRequest.State.QUEUED, queue.state(first));
    gate.countDown();
    for (DiskRequest each : occupied) {
      queue.await(each);
    }
    queue.await(first);
    queue.await(last);
    awaitOver(4);
    assertEquals(4, done.size());
    assertTrue(done.indexOf("moved") >= 2, "moved while a read waited: " + done);
    assertEquals(DiskRequest.State.DONE, queue.state(first));
  }

  /** Else a device that is slow stops whoever asks for something. */
  @Test
  void nobodyWaitsForAUnitUnderTheLock() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    occupy(queue);
    DiskRequest waiting =
        new DiskRequest(IoClass.READ_AHEAD, STREAM, 1, unit -> {}, over::incrementAndGet);
    queue.submit(waiting);
    assertFalse(queue.review());
    queue.promote(waiting, IoClass.READ_SEND);
    queue.cancel(waiting);
    assertEquals(DiskRequest.State.CANCELLED, queue.state(waiting));
    assertEquals(1, over.get());
  }

  @Test
  void whatRunsWhenItsOwnerGoesKeepsItsMemoryUntilItEnds() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    DiskRequest running = occupy(queue).get(0);
    queue.cancel(running);
    assertEquals(DiskRequest.State.RUNNING, queue.state(running));
    assertEquals(0, over.get());
    IOException failure = assertThrows(IOException.class, () -> queue.await(running));
    assertTrue(failure.getMessage().contains("its owner is gone"), failure.toString());
    gate.countDown();
    awaitOver(2);
    assertEquals(DiskRequest.State.CANCELLED, queue.state(running));
  }

  @Test
  void aFailedUnitIsTheRequestsFailureAndTheRestIsLeft() {
    DeviceQueue queue = queue(PATIENT_MS);
    AtomicInteger begun = new AtomicInteger();
    DiskRequest request =
        new DiskRequest(
            IoClass.WRITE_SORT,
            STREAM,
            1000,
            unit -> {
              begun.incrementAndGet();
              throw new IOException("no space left");
            },
            over::incrementAndGet);
    IOException failure = assertThrows(IOException.class, () -> queue.run(request));
    assertEquals("no space left", failure.getMessage());
    assertTrue(begun.get() <= 2 * DeviceQueue.DEPTH, "units after the failure: " + begun);
  }

  @Test
  void aDeviceThatHangsFailsWhoeverWaitsAndWorksAgainAfterwards() throws Exception {
    DeviceQueue hanging = queue(HASTY_MS);
    final DiskRequest running = occupy(hanging).get(0);
    DiskRequest queued = request(unit -> {});
    hanging.submit(queued);
    IOException failure = assertThrows(IOException.class, () -> hanging.await(queued));
    assertTrue(
        failure.getMessage().contains("has not answered for " + HASTY_MS + " ms"),
        failure.toString());
    assertThrows(IOException.class, () -> hanging.await(running), "who waits for what runs");
    assertEquals(1, over.get(), "only what was queued is over");
    assertEquals(DiskRequest.State.RUNNING, hanging.state(running));
    assertThrows(IOException.class, () -> hanging.run(request(unit -> {})), "nothing is taken");

    DeviceQueue other = queue(PATIENT_MS);
    other.run(request(unit -> {}));

    gate.countDown();
    awaitOver(5);
    hanging.run(request(unit -> {}));
  }

  @Test
  void closingFailsWhatIsQueuedAndWhatComesLater() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    occupy(queue);
    DiskRequest queued = request(unit -> {});
    queue.submit(queued);
    queue.close();
    assertThrows(IOException.class, () -> queue.await(queued));
    assertThrows(IOException.class, () -> queue.run(request(unit -> {})));
    gate.countDown();
    awaitOver(4);
  }

  @Test
  void anInterruptStaysSetAndEndsNoWait() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    Thread.currentThread().interrupt();
    AtomicInteger done = new AtomicInteger();
    queue.run(request(unit -> done.incrementAndGet()));
    assertTrue(Thread.interrupted(), "the interrupt is lost");
    assertEquals(1, done.get());
  }

  /** Else a worker that dies of it leaves the queue to nobody, and who waits waits for ever. */
  @Test
  void aScheduleThatFailsFailsWhatIsQueuedAndIsReplaced() throws Exception {
    AtomicInteger failures = new AtomicInteger(1);
    DeviceQueue queue =
        new DeviceQueue(
            "device that fails",
            PATIENT_MS,
            () ->
                new IoScheduler(DeviceQueue.FAVOUR, System.nanoTime()) {
                  @Override
                  Optional<IoClass> choose(long nowNs) {
                    Optional<IoClass> chosen = super.choose(nowNs);
                    if (chosen.isPresent() && failures.getAndDecrement() > 0) {
                      throw new OutOfMemoryError("of the test");
                    }
                    return chosen;
                  }
                });
    queues.add(queue);
    IOException failure = assertThrows(IOException.class, () -> queue.run(request(unit -> {})));
    assertTrue(failure.getMessage().contains("of the test"), failure.toString());
    awaitOver(1);
    for (int i = 0; i < 2 * DeviceQueue.DEPTH; i++) {
      queue.run(request(unit -> {}));
    }
    awaitOver(1 + 2 * DeviceQueue.DEPTH);
  }

  /** Else its memory is nobody's, and who waits for it waits for ever. */
  @Test
  void whatCannotBeQueuedIsOverAtOnce() throws Exception {
    AtomicInteger failures = new AtomicInteger(1);
    DeviceQueue queue =
        new DeviceQueue(
            "device without memory",
            PATIENT_MS,
            () ->
                new IoScheduler(DeviceQueue.FAVOUR, System.nanoTime()) {
                  @Override
                  void add(DiskRequest request, long nowNs) {
                    if (failures.getAndDecrement() > 0) {
                      throw new OutOfMemoryError("of the test");
                    }
                    super.add(request, nowNs);
                  }
                });
    queues.add(queue);
    DiskRequest request = request(unit -> {});
    queue.submit(request);
    assertEquals(1, over.get());
    assertThrows(IOException.class, () -> queue.await(request));
    queue.run(request(unit -> {}));
    awaitOver(2);
  }

  @Test
  void anOwnerThatFailsWhenItIsToldTakesNoWorkerWithIt() throws Exception {
    DeviceQueue queue = queue(PATIENT_MS);
    for (int i = 0; i < 2 * DeviceQueue.DEPTH; i++) {
      queue.run(
          new DiskRequest(
              IoClass.READ_SEND,
              STREAM,
              1,
              unit -> {},
              () -> {
                throw new OutOfMemoryError("of the test");
              }));
    }
    queue.run(request(unit -> {}));
    awaitOver(1);
  }
}
