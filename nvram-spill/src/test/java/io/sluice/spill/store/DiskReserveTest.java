package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.store.StoreConfig.DiskReserve;
import org.junit.jupiter.api.Test;

class DiskReserveTest {
  @Test
  void isAboveTheLargerOfShareAndBytes() {
    assertEquals(7, DiskReserve.of(7).bytesOf(1_000_000));
    DiskReserve reserve = new DiskReserve(7, 100, 0.1);
    assertEquals(7 + 100, reserve.bytesOf(500));
    assertEquals(7 + 1_000, reserve.bytesOf(10_000));
  }

  @Test
  void cannotBeNegativeOrMoreThanTheDisk() {
    assertThrows(IllegalArgumentException.class, () -> DiskReserve.of(-1));
    assertThrows(IllegalArgumentException.class, () -> new DiskReserve(0, -1, 0));
    assertThrows(IllegalArgumentException.class, () -> new DiskReserve(0, 0, 1.1));
    assertThrows(IllegalArgumentException.class, () -> new DiskReserve(0, 0, Double.NaN));
  }
}
