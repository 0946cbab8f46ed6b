package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The schedule against a model; and the model against schedules that are broken. */
class DeviceQueueModelTest {
  private static final int RUNS = 100;
  private static final int STEPS = 2000;
  private static final int NEVER = Integer.MAX_VALUE;

  @Test
  void aScheduleKeepsItsPromises() {
    run(TestSeed.next(), () -> new IoScheduler(DeviceQueue.FAVOUR, 0), false);
  }

  @Test
  void oneQueueForAllIsFound() {
    requireFound(
        TestSeed.next(),
        () ->
            new IoScheduler(DeviceQueue.FAVOUR, 0) {
              @Override
              Optional<IoClass> choose(long nowNs) {
                return open().stream()
                    .filter(request -> request.mayBegin() && mayBegin(request.ioClass, nowNs))
                    .min((one, other) -> Long.compare(one.queuedNs, other.queuedNs))
                    .map(request -> request.ioClass);
              }
            },
        false,
        "which waits");
  }

  @Test
  void aClassThatStarvesIsFound() {
    requireFound(TestSeed.next(), () -> new IoScheduler(NEVER, 0), false, "starves");
  }

  @Test
  void copiesThatDoNotWaitForIdleTimeAreFound() {
    requireFound(
        TestSeed.next(),
        () ->
            new IoScheduler(DeviceQueue.FAVOUR, 0) {
              @Override
              Optional<IoClass> choose(long nowNs) {
                Optional<IoClass> chosen = super.choose(nowNs);
                return chosen.isPresent() ? chosen : super.choose(nowNs + COPY_AFTER_WAIT_NS);
              }
            },
        false,
        "a copy begins");
  }

  @Test
  void aPromotionThatIsForgottenIsFound() {
    requireFound(
        TestSeed.next(),
        () ->
            new IoScheduler(DeviceQueue.FAVOUR, 0) {
              @Override
              void promote(DiskRequest request, IoClass better) {}
            },
        false,
        "");
  }

  @Test
  void aReadAheadThatTakesReadersBuffersIsFound() {
    requireFound(
        TestSeed.next(), () -> new IoScheduler(DeviceQueue.FAVOUR, 0), true, "has no buffer");
  }

  private static void run(
      long seed, Supplier<IoScheduler> schedule, boolean aheadTakesReadBuffers) {
    Random seeds = new Random(seed);
    for (int i = 0; i < RUNS; i++) {
      new DeviceModel(new Random(seeds.nextLong()), schedule.get(), aheadTakesReadBuffers)
          .run(STEPS);
    }
  }

  private static void requireFound(
      long seed, Supplier<IoScheduler> broken, boolean aheadTakesReadBuffers, String what) {
    String found =
        assertThrows(AssertionError.class, () -> run(seed, broken, aheadTakesReadBuffers))
            .getMessage();
    assertTrue(found.contains(what), found);
  }
}
