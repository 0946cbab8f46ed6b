package io.sluice.bench.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.local.EngineSchedule.JobWork;
import io.sluice.bench.local.EngineSchedule.JobWork.MapWork;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineScheduleTest {
  private static final double EXACT = 1e-6;

  private static JobWork maps(int count, double readMs, double sortMs) {
    return new JobWork(Collections.nCopies(count, new MapWork(readMs, sortMs)), List.of());
  }

  private static double ms(int cores, int slots, JobWork job) {
    return new EngineSchedule(cores, slots, 0).makespanMs(job);
  }

  @Test
  void oneCoreDoesAllOfItOneAfterTheOther() {
    JobWork job = new JobWork(maps(4, 10, 5).maps(), List.of(7.0, 3.0));
    assertEquals(70, ms(1, 1, job), EXACT);
    assertEquals(70, ms(1, 8, job), EXACT);
    assertEquals(70, job.ms(), EXACT);
  }

  @Test
  void withASlotOfEachAMapReadsWhileTheOneBeforeSorts() {
    assertEquals(10 * 4 + 5, ms(2, 1, maps(4, 10, 5)), EXACT);
  }

  @Test
  void aMapThatWaitsForASortSlotKeepsItsMapSlot() {
    // Read 0–1; sorts 1–11, 11–21, 21–31. The third reads when the second has a sort slot.
    assertEquals(31, ms(8, 1, maps(3, 1, 10)), EXACT);
    // Without that the long one, third in order, would read from 2 on and not from 11 on.
    JobWork last =
        new JobWork(List.of(new MapWork(1, 10), new MapWork(1, 0), new MapWork(20, 0)), List.of());
    assertEquals(31, ms(8, 1, last), EXACT);
  }

  @Test
  void asManyTasksAsThreadsTakeTheLongestOne() {
    JobWork job = new JobWork(List.of(new MapWork(3, 1), new MapWork(9, 1)), List.of(2.0, 6.0));
    assertEquals(10 + 6, ms(2, 2, job), EXACT);
    assertEquals(10 + 6, ms(64, 64, job), EXACT);
  }

  @Test
  void threadsBeyondTheCoresShareThem() {
    assertEquals(40, ms(2, 8, maps(8, 10, 0)), EXACT);
  }

  @Test
  void whatIsLeftOverRunsAlone() {
    assertEquals(20, ms(2, 2, maps(3, 10, 0)), EXACT);
  }

  @Test
  void workUnderALockIsOneThreadsAtATime() {
    JobWork job = maps(64, 10, 0);
    EngineSchedule locked = new EngineSchedule(64, 64, 0.25);
    assertEquals(640 * 0.25, locked.makespanMs(job), EXACT);
    // Four threads have no more than their quarters to do under it.
    assertEquals(160, new EngineSchedule(4, 4, 0.25).makespanMs(job), EXACT);
    assertEquals(640, new EngineSchedule(1, 1, 0.25).makespanMs(job), EXACT);
  }

  @Test
  void noReducesAndNoTimeAreNoTrouble() {
    assertEquals(0, ms(2, 2, maps(5, 0, 0)), EXACT);
  }
}
