package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupMeter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MetersTest {

  @Test
  void aDevicesCountersAreReadInTheirUnits() {
    DeviceUse early =
        DeviceUse.parse("   11   1    4  15    20   2   40  50   0  60  70  0 0 0 0 3 4\n");
    assertEquals(new DeviceUse(11, 2048, 20, 20480, 60, 70), early);
    DeviceUse later =
        DeviceUse.parse("   12   1   12  15    22   2   42  50   0  66  77  0 0 0 0 3 4\n");
    assertEquals(new DeviceUse(1, 4096, 2, 1024, 6, 7), later.minus(early));
    assertEquals(5120, later.minus(early).bytes());
  }

  @Test
  void theMemoryIsSampledUntilTheMeterIsClosed() throws InterruptedException {
    CountDownLatch taken = new CountDownLatch(3);
    GroupMemory memory = new GroupMemory(5, 4, 3, 2, 1);
    try (GroupMeter meter =
        GroupMeter.start(
            () -> {
              taken.countDown();
              return memory;
            },
            1)) {
      assertTrue(taken.await(120, TimeUnit.SECONDS), "three samples");
      assertTrue(meter.samples().size() >= 2, "samples: " + meter.samples());
      assertEquals(memory, meter.samples().get(0));
    }
  }

  @Test
  void aSampleThatFailedIsNotLeftOut() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(2);
    try (GroupMeter meter =
        GroupMeter.start(
            () -> {
              asked.countDown();
              if (asked.getCount() == 0) {
                throw new LimitException("gone");
              }
              return new GroupMemory(0, 0, 0, 0, 0);
            },
            1)) {
      assertTrue(asked.await(120, TimeUnit.SECONDS), "two questions");
      LimitException failure = null;
      while (failure == null) { // the sample is being taken
        try {
          meter.samples();
          Thread.onSpinWait();
        } catch (LimitException e) {
          failure = e;
        }
      }
      assertEquals("gone", failure.getCause().getMessage());
      assertThrows(LimitException.class, meter::samples);
    }
  }
}
