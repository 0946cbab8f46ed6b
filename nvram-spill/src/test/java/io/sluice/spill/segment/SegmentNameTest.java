package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentNameTest {
  private static final UUID POOL = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

  @Test
  void aNameSaysWhatSegmentItIsAndWhose() {
    SegmentName owned = SegmentName.of(POOL, 7, 3, new Owner(1001));
    assertEquals("segment-01234567-7-3-1001", owned.toString());
    assertEquals(Optional.of(owned), SegmentName.parse(Path.of("/pool", owned.toString())));
    assertTrue(owned.isOf(POOL));
    assertFalse(owned.isOf(new UUID(1, 2)));
  }

  @Test
  void theHighestUserIdIsOne() {
    SegmentName owned = SegmentName.of(POOL, 0, 0, new Owner(-2));
    assertEquals("segment-01234567-0-0-4294967294", owned.toString());
    assertEquals(Optional.of(owned), SegmentName.parse(Path.of(owned.toString())));
  }

  @Test
  void whatIsNobodysSaysSo() {
    SegmentName free = SegmentName.parse(Path.of("segment-01234567-7-3-free")).orElseThrow();
    assertEquals(Optional.empty(), free.owner());
    assertEquals("segment-01234567-7-3-free", free.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "segment-01234567-7",
        "segment-01234567-7-3",
        "segment-01234567-7-3-ann",
        "segment-01234567-7-3-1001.tmp",
        "segment-01234567-4294967295-0-1001",
        "segment-01234567-7-4294967295-1001",
        "segment-01234567-7-0-4294967296",
        "pool.leases"
      })
  void nothingElseIsASegment(String name) {
    assertEquals(Optional.empty(), SegmentName.parse(Path.of(name)));
  }
}
