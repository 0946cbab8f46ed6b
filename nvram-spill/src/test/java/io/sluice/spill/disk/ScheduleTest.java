package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a copy may begin. */
class ScheduleTest {
  private static final DiskStream STREAM = new DiskStream("1", "application_1", 1);
  private static final long IDLE_NS = Schedule.COPY_AFTER_IDLE_NS;

  private final Schedule schedule = new Schedule(DeviceQueue.FAVOUR, 0);

  private static DiskRequest request(IoClass ioClass) {
    return new DiskRequest(ioClass, STREAM, 1, unit -> {}, () -> {});
  }

  private void done(DiskRequest request, long atNs) {
    schedule.add(request, atNs);
    Schedule.Turn turn = schedule.next(atNs).orElseThrow();
    assertEquals(request, turn.request());
    schedule.ended(turn, Optional.empty(), atNs);
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
