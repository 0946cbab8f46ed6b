package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.format.TestRecord;
import io.sluice.spill.sort.SortedRecords.SortedCursor;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SortedRecordsTest {
  private final long allocatedBefore = OffHeap.allocatedBytes();
  private final SortChunks pool = new SortChunks(64 * 1024, 1024);
  private final RecordBuffer buffer = new RecordBuffer(pool, 4, new BytewiseOrder());
  private final TestRecord small = new TestRecord(1, new byte[] {1}, new byte[] {9});
  private final TestRecord empty = new TestRecord(3, new byte[0], new byte[0]);
  private TestRecord large;
  private SortedRecords sorted;

  @BeforeEach
  void sort() throws IOException {
    byte[] value = new byte[5000];
    Arrays.fill(value, (byte) 7);
    large = new TestRecord(1, new byte[] {2}, value);
    for (TestRecord record : new TestRecord[] {empty, large, small}) {
      buffer.append(
          record.keyValue(), 0, record.key().length, record.value().length, record.partition());
    }
    sorted = buffer.sort();
  }

  @AfterEach
  void nothingLeaks() {
    buffer.close();
    pool.close();
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  @Test
  void tellsWhereEachPartitionLies() throws IOException {
    assertEquals(4, sorted.partitionCount());
    int[] firsts = {0, 0, 2, 2};
    int[] ends = {0, 2, 2, 3};
    long[] bytes = {0, 4 + 5005, 0, 2};
    for (int partition = 0; partition < 4; partition++) {
      assertEquals(firsts[partition], sorted.firstOf(partition));
      assertEquals(ends[partition], sorted.endOf(partition));
      assertEquals(bytes[partition], sorted.encodedBytes(partition));
    }
  }

  @Test
  void stopsBeforeARecordThatDoesNotFit() throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(5000).position(1);
    assertEquals(1, sorted.copyEncoded(0, 3, dst));
    assertEquals(5, dst.position());
    assertEquals(1, sorted.copyEncoded(1, 3, dst));
    assertEquals(5, dst.position());
    assertEquals(3, sorted.copyEncoded(2, 3, dst));
    assertEquals(7, dst.position());
    assertEquals(2, sorted.copyEncoded(2, 2, dst));
  }

  @Test
  void copiesOneRecord() throws IOException {
    assertEquals(5005, sorted.encodedLength(1));
    ByteBuffer dst = ByteBuffer.allocateDirect(5010).position(5);
    sorted.copyEncoded(1, dst);
    assertEquals(5010, dst.position());
    assertEquals(ByteBuffer.wrap(large.encoded()), dst.flip().position(5));
    byte[] array = new byte[5010];
    assertEquals(5008, sorted.copyEncoded(1, array, 3));
    assertArrayEquals(large.encoded(), Arrays.copyOfRange(array, 3, 5008));
  }

  @Test
  void refusesWhereOneRecordDoesNotFit() throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(5004);
    assertThrows(BufferOverflowException.class, () -> sorted.copyEncoded(1, dst));
    assertEquals(0, dst.position());
    assertThrows(IndexOutOfBoundsException.class, () -> sorted.copyEncoded(1, new byte[5004], 0));
  }

  @Test
  void walksThroughRecordsLargerThanAWindow() throws IOException {
    byte[] value = new byte[40_000];
    Arrays.fill(value, (byte) 8);
    buffer.reset();
    for (int i = 0; i < 3; i++) {
      TestRecord record =
          new TestRecord(0, new byte[] {(byte) i}, i == 1 ? value : new byte[] {(byte) i});
      assertTrue(buffer.append(record.keyValue(), 0, 1, record.value().length, 0));
    }
    SortedCursor cursor = new SortedCursor(buffer.sort(), 0, 3);
    for (int i = 0; i < 3; i++) {
      assertTrue(cursor.next());
      assertEquals(i, cursor.bytes()[cursor.keyOffset()]);
      assertEquals(i == 1 ? 40_000 : 1, cursor.valueLength());
      assertEquals(i == 1 ? 8 : i, cursor.bytes()[cursor.valueOffset() + cursor.valueLength() - 1]);
    }
    assertFalse(cursor.next());
    assertFalse(cursor.next());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1 << 16, (1 << 16) + 1})
  void copiesRecordsOfAnyLengthInTheFirstPartitionAndTheLast(int partitions) throws IOException {
    int[] valueLengths = {0, 100, 0xffff - 9, 0xffff - 8, 0xffff - 7, 100_000};
    List<TestRecord> expected = new ArrayList<>();
    for (int partition : partitions == 1 ? new int[] {0} : new int[] {0, partitions - 1}) {
      for (int valueLength : valueLengths) {
        byte[] value = new byte[valueLength];
        new Random(partition + valueLength).nextBytes(value);
        byte[] key = ByteBuffer.allocate(4).putInt(valueLength).array();
        expected.add(new TestRecord(partition, key, value));
      }
    }
    List<TestRecord> backwards = new ArrayList<>(expected);
    Collections.reverse(backwards);
    try (SortChunks chunks = new SortChunks(8 << 20, 4096);
        RecordBuffer records = new RecordBuffer(chunks, partitions, new BytewiseOrder())) {
      for (TestRecord record : backwards) {
        int valueLength = record.value().length;
        assertTrue(records.append(record.keyValue(), 0, 4, valueLength, record.partition()));
      }
      SortedRecords all = records.sort();
      assertEquals(valueLengths.length, all.endOf(0));
      assertEquals(expected.size() - valueLengths.length, all.firstOf(partitions - 1));
      ByteBuffer copied = ByteBuffer.allocate(1 << 20);
      assertEquals(expected.size(), all.copyEncoded(0, expected.size(), copied));
      copied.flip();
      for (int i = 0; i < expected.size(); i++) {
        byte[] encoded = expected.get(i).encoded();
        assertEquals(encoded.length, all.encodedLength(i));
        byte[] alone = new byte[encoded.length];
        assertEquals(encoded.length, all.copyEncoded(i, alone, 0));
        assertArrayEquals(encoded, alone);
        ByteBuffer direct = ByteBuffer.allocateDirect(encoded.length);
        all.copyEncoded(i, direct);
        assertEquals(ByteBuffer.wrap(encoded), direct.flip());
        byte[] together = new byte[encoded.length];
        copied.get(together);
        assertArrayEquals(encoded, together);
      }
      assertFalse(copied.hasRemaining());
    }
  }

  @Test
  void refusesAPositionThatIsNone() throws IOException {
    assertThrows(IndexOutOfBoundsException.class, () -> sorted.encodedLength(3));
    assertThrows(IndexOutOfBoundsException.class, () -> sorted.keyLength(-1));
    assertThrows(
        IndexOutOfBoundsException.class, () -> sorted.copyEncoded(0, 4, ByteBuffer.allocate(9)));
  }
}
