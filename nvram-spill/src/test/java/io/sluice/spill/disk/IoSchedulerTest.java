package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What goes before what, and when a copy may begin. */
class IoSchedulerTest {
  private static final DiskStream STREAM = new DiskStream("1", "application_1", 1);
  private static final long IDLE_NS = IoScheduler.COPY_AFTER_IDLE_NS;

  private final IoScheduler schedule = new IoScheduler(DeviceQueue.FAVOUR, 0);

  private static DiskRequest request(IoClass ioClass) {
    return new DiskRequest(ioClass, STREAM, 1, unit -> {}, () -> {});
  }

  private void done(DiskRequest request, long atNs) {
    schedule.add(request, atNs);
    IoScheduler.Turn turn = schedule.next(atNs).orElseThrow();
    assertEquals(request, turn.request());
    schedule.ended(turn, Optional.empty(), atNs);
  }

  /** Mammoth's order: what was received gives way first, then outputs, then what is sorted. */
  @Test
  void whatIsAwaitedGoesBeforeWhatIsNot() {
    List<IoClass> inOrder =
        List.of(
            IoClass.READ_SEND,
            IoClass.WRITE_RECEIVE,
            IoClass.WRITE_SEND,
            IoClass.WRITE_SORT,
            IoClass.READ_AHEAD,
            IoClass.WRITE_AHEAD,
            IoClass.COPY);
    for (int i = inOrder.size() - 1; i >= 0; i--) {
      schedule.add(request(inOrder.get(i)), 0);
    }
    for (IoClass expected : inOrder) {
      IoScheduler.Turn turn = schedule.next(2 * IDLE_NS).orElseThrow();
      assertEquals(expected, turn.ioClass());
      schedule.ended(turn, Optional.empty(), 0);
    }
  }

  /** Each copy is loaded when it is written, and the next one need not wait for that. */
  @Test
  void whatIsReadThroughTheCacheDoesNotKeepACopyWaiting() {
    done(DiskRequest.cached(IoClass.READ_SEND, STREAM, unit -> {}, () -> {}), IDLE_NS);
    schedule.add(request(IoClass.COPY), IDLE_NS);
    assertTrue(schedule.next(IDLE_NS).isPresent());
  }

  @Test
  void whatIsReadFromTheDeviceDoes() {
    done(request(IoClass.READ_SEND), IDLE_NS);
    schedule.add(request(IoClass.COPY), IDLE_NS);
    assertTrue(schedule.next(2 * IDLE_NS - 1).isEmpty());
    assertTrue(schedule.next(2 * IDLE_NS).isPresent());
  }
}
