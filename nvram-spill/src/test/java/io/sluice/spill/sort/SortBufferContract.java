package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.record.TestRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link SortBuffer} does. */
public interface SortBufferContract {
  /** An empty buffer; whoever makes it closes it. */
  SortBuffer buffer(SortChunks pool, int partitions, KeyOrder order);

  /** Puts all records in, which must fit, and finds them again, those of each key together. */
  static void assertWalks(
      SortBuffer buffer, List<TestRecord> records, int partitions, KeyOrder order)
      throws IOException {
    for (TestRecord record : records) {
      assertTrue(append(buffer, record), () -> record + " was refused");
    }
    assertEquals(records.size(), buffer.recordCount());
    assertEquals(
        records.stream().mapToLong(record -> record.encoded().length).sum(), buffer.dataBytes());
    assertEquals(count(records), count(read(buffer.sort(), partitions, order)));
  }

  /** Puts a record in. */
  static boolean append(SortBuffer buffer, TestRecord record) throws IOException {
    int keyLength = record.key().length;
    byte[] bytes = new byte[3 + keyLength + record.value().length];
    System.arraycopy(record.keyValue(), 0, bytes, 3, bytes.length - 3);
    return buffer.append(bytes, 3, keyLength, record.value().length, record.partition());
  }

  /** What is sorted, of which each partition's keys must not fall. */
  static List<TestRecord> read(SortedSource sorted, int partitions, KeyOrder order) {
    List<TestRecord> records = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      RecordCursor cursor = sorted.cursor(partition);
      byte[] before = null;
      while (cursor.next()) {
        int key = cursor.keyOffset();
        int value = cursor.valueOffset();
        TestRecord record =
            new TestRecord(
                partition,
                Arrays.copyOfRange(cursor.keyBytes(), key, key + cursor.keyLength()),
                Arrays.copyOfRange(cursor.valueBytes(), value, value + cursor.valueLength()));
        if (before != null) {
          assertTrue(
              order.compare(before, 0, before.length, record.key(), 0, record.key().length) <= 0);
        }
        before = record.key();
        records.add(record);
      }
      assertFalse(cursor.next());
      assertEquals(before == null, sorted.isEmpty(partition));
    }
    return records;
  }

  private static Map<TestRecord, Integer> count(List<TestRecord> records) {
    Map<TestRecord, Integer> counts = new HashMap<>();
    records.forEach(record -> counts.merge(record, 1, Integer::sum));
    return counts;
  }

  /** Random bytes of an alphabet. */
  static byte[] bytes(Random random, int length, int alphabet) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) random.nextInt(alphabet);
    }
    return bytes;
  }

  /** Partitions, letters of keys, longest key, longest value: keys that repeat, or do not. */
  @ParameterizedTest
  @CsvSource({
    "1, 2, 3, 4",
    "7, 3, 5, 0",
    "300, 2, 12, 60",
    "3, 256, 24, 30",
    "1, 4, 7, 5000",
    "20, 256, 9000, 10",
    "2, 2, 64, 300"
  })
  default void walksThroughWhatWentIn(int partitions, int letters, int maxKey, int maxValue)
      throws IOException {
    Random random = TestSeed.random();
    int count = 40_000_000 / (1000 + 30 * Math.max(maxKey, maxValue));
    KeyOrder order = new BytewiseOrder();
    try (SortChunks pool = new SortChunks(256 << 20, 4096);
        SortBuffer buffer = buffer(pool, partitions, order)) {
      for (int round = 0; round < 3; round++) {
        List<TestRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          records.add(
              new TestRecord(
                  random.nextInt(partitions),
                  bytes(random, random.nextInt(maxKey + 1), letters),
                  bytes(random, random.nextInt(maxValue + 1), 256)));
        }
        assertWalks(buffer, records, partitions, order);
        buffer.reset();
        assertEquals(0, pool.acquiredBytes());
        assertEquals(0, buffer.recordCount());
      }
    }
  }

  /** Keys that the comparator calls equal though their bytes are not stay neighbours. */
  @Test
  default void sortsByTheOrderThatTheJobHas() throws IOException {
    Random random = TestSeed.random();
    KeyOrder order = new UnprefixedOrder();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      records.add(new TestRecord(i % 3, bytes(random, random.nextInt(3), 5), bytes(random, 4, 9)));
    }
    try (SortChunks pool = new SortChunks(16 << 20, 1024);
        SortBuffer buffer = buffer(pool, 3, order)) {
      assertWalks(buffer, records, 3, order);
    }
  }

  /** Memory of this many chunks; keys of which each comes so often. */
  @ParameterizedTest
  @CsvSource({"2, 1", "3, 1", "4, 1", "4, 50", "5, 3", "6, 1", "9, 1", "9, 2", "64, 1", "64, 20"})
  default void losesNothingWhenItIsFull(int chunks, int often) throws IOException {
    Random random = TestSeed.random();
    KeyOrder order = new BytewiseOrder();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      byte[] key = Integer.toString(random.nextInt(20_000 / often)).getBytes();
      records.add(new TestRecord(random.nextInt(2), key, bytes(random, random.nextInt(9), 9)));
    }
    List<TestRecord> found = new ArrayList<>();
    int fills = 1;
    try (SortChunks pool = new SortChunks(chunks * 1024L, 1024);
        SortBuffer buffer = buffer(pool, 2, order)) {
      for (TestRecord record : records) {
        if (!append(buffer, record)) {
          found.addAll(read(buffer.sort(), 2, order));
          buffer.reset();
          fills++;
          assertTrue(append(buffer, record), "an empty buffer takes it");
        }
      }
      found.addAll(read(buffer.sort(), 2, order));
    }
    assertEquals(count(records), count(found));
    assertTrue(fills > 1, fills + " fills");
  }

  /** As large as can be, in a buffer that is empty, and refused in one that is not. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 500})
  default void takesTheLargestRecordWhenItIsEmpty(int before) throws IOException {
    try (SortChunks pool = new SortChunks(16 * 1024, 1024);
        SortBuffer buffer = buffer(pool, 1, new BytewiseOrder())) {
      int largest = 15 * 1024 - 3 - 1;
      assertTrue(buffer.fitsEmpty(1, largest - 1));
      assertFalse(buffer.fitsEmpty(1, largest));
      for (int i = 0; i < before; i++) {
        assertTrue(buffer.append(new byte[] {(byte) (i % 7)}, 0, 1, 0, 0));
      }
      byte[] record = bytes(new Random(1), largest + 2, 256);
      assertFalse(buffer.append(record, 0, 1, largest, 0));
      if (before > 0) {
        assertFalse(buffer.append(record, 0, 1, largest - 1, 0));
        assertEquals(before, read(buffer.sort(), 1, new BytewiseOrder()).size());
        buffer.reset();
      }
      assertTrue(buffer.append(record, 0, 1, largest - 1, 0));
      TestRecord read = read(buffer.sort(), 1, new BytewiseOrder()).get(0);
      assertEquals(
          new TestRecord(
              0, Arrays.copyOfRange(record, 0, 1), Arrays.copyOfRange(record, 1, largest)),
          read);
    }
  }

  @Test
  default void refusesWhatIsNoRecordAndAnyAfterASort() throws IOException {
    try (SortChunks pool = new SortChunks(4096, 1024);
        SortBuffer buffer = buffer(pool, 3, new BytewiseOrder())) {
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 1, 3));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 1, -1));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 2, 0));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 1, -1, 1, 0));
      assertEquals(0, buffer.recordCount());
      assertTrue(buffer.append(new byte[2], 0, 1, 1, 1));
      assertTrue(buffer.sort().isEmpty(0));
      assertThrows(IllegalStateException.class, () -> buffer.append(new byte[2], 0, 1, 1, 1));
    }
  }

  @Test
  default void keepsNothingOfASortThatFails() throws IOException {
    KeyOrder order = new CountingOrder(new UnprefixedOrder(), 5);
    try (SortChunks pool = new SortChunks(8192, 1024);
        SortBuffer buffer = buffer(pool, 1, order)) {
      for (int i = 0; i < 20; i++) {
        assertTrue(buffer.append(new byte[] {(byte) i}, 0, 1, 0, 0));
      }
      assertThrows(IllegalArgumentException.class, buffer::sort);
      assertThrows(IllegalStateException.class, buffer::sort);
      buffer.reset();
      assertTrue(buffer.sort().isEmpty(0));
      assertEquals(0, pool.acquiredBytes());
    }
  }
}
