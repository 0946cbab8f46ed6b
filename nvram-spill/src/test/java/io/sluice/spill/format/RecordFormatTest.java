package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
  @Test
  void laysARunOutAsIFileDoes() {
    List<TestRecord> records =
        List.of(
            new TestRecord(0, new byte[] {'k'}, new byte[] {'v', 'w'}),
            new TestRecord(0, new byte[0], new byte[0]));
    assertArrayEquals(new byte[] {1, 2, 'k', 'v', 'w', 0, 0, -1, -1}, TestRecord.run(records));
  }

  @Test
  void countsHeaderAndBody() {
    assertEquals(2 + 3, RecordFormat.encodedLength(1, 2));
    assertEquals(3 + 128 + 2, RecordFormat.encodedLength(128, 2));
    assertEquals(
        10 + 2 * (long) Integer.MAX_VALUE,
        RecordFormat.encodedLength(Integer.MAX_VALUE, Integer.MAX_VALUE));
  }

  @Test
  void writesTheSameHeaderToArraysAndBuffers() {
    byte[] array = new byte[RecordFormat.MAX_HEADER_BYTES];
    ByteBuffer buffer = ByteBuffer.allocate(RecordFormat.MAX_HEADER_BYTES);
    int end = RecordFormat.putHeader(array, 0, 300, 70_000);
    assertEquals(end, RecordFormat.putHeader(buffer, 0, 300, 70_000));
    assertEquals(end, RecordFormat.headerLength(300, 70_000));
    assertArrayEquals(array, buffer.array());
    assertEquals(RecordFormat.END_BYTES, RecordFormat.putEnd(array, 0));
    assertEquals(RecordFormat.END_BYTES, RecordFormat.putEnd(buffer, 0));
    assertEquals(-1, array[0] & array[1] & buffer.get(0) & buffer.get(1));
  }
}
