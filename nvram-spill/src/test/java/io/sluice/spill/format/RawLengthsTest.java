package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.Run.RawLengths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawLengthsTest {
  private static final long MOST_RUN_BYTES = (1L << 56) - 1;

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 32 << 10, RawLengths.MOST_CHUNK_BYTES})
  void areReadAsTheyWerePacked(int chunkBytes) {
    for (long runBytes : new long[] {0, 1, 5L << 32, MOST_RUN_BYTES}) {
      long packed = RawLengths.pack(runBytes, chunkBytes);
      assertTrue(RawLengths.areValid(packed));
      assertEquals(runBytes, RawLengths.runBytes(packed));
      assertEquals(chunkBytes, RawLengths.chunkBytes(packed));
    }
  }

  /** They would be read as others. */
  @Test
  void lengthsThatCannotBePackedAreRefused() {
    for (int chunkBytes : new int[] {1, 3, 96 << 10, -1, -4}) {
      assertThrows(IllegalArgumentException.class, () -> RawLengths.pack(1, chunkBytes));
    }
    for (long runBytes : new long[] {-1, Long.MIN_VALUE, MOST_RUN_BYTES + 1, Long.MAX_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> RawLengths.pack(runBytes, 0));
      assertThrows(IllegalArgumentException.class, () -> RawLengths.pack(runBytes, 4));
    }
  }

  /** A reader has memory for no longer chunk. */
  @Test
  void whatNobodyHasPackedIsNotValid() {
    for (long log : new long[] {19, 30, 31, 127, 128, 255}) {
      assertFalse(RawLengths.areValid(log << 56 | 1), log + "");
    }
    assertFalse(RawLengths.areValid(-1));
    assertFalse(RawLengths.areValid(Long.MIN_VALUE));
    assertFalse(RawLengths.areValid(Long.MAX_VALUE));
  }
}
