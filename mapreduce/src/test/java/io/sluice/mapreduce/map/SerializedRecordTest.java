package io.sluice.mapreduce.map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.RecordSerializer.SerializedRecord;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** One record at a time, and no more heap behind it than the next one may want. */
final class SerializedRecordTest {
  private final SerializedRecord staging = new SerializedRecord();

  @Test
  void holdsTheLastRecordOnly() {
    staging.write(new byte[] {1, 2, 3}, 0, 3);
    staging.reset();
    staging.write(7);
    assertEquals(1, staging.lengthBytes());
    assertArrayEquals(new byte[] {7}, Arrays.copyOf(staging.array(), 1));
  }

  @Test
  void keepsTheArrayOfSmallRecords() {
    staging.write(new byte[5000], 0, 5000);
    byte[] array = staging.array();
    staging.shrink();
    assertSame(array, staging.array());
    assertEquals(0, staging.lengthBytes());
  }

  @Test
  void letsGoOfTheArrayOfALargeRecord() {
    staging.write(new byte[5 << 20], 0, 5 << 20);
    staging.shrink();
    assertTrue(staging.array().length <= 1 << 20, staging.array().length + " bytes are kept");
    staging.write(new byte[] {1, 2, 3}, 0, 3);
    assertEquals(3, staging.lengthBytes());
  }
}
