package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.TestRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever goes in comes out, grouped by partition and in order, against the JDK's sort. */
class RecordBufferTest {
  private final long allocatedBefore = OffHeap.allocatedBytes();

  @AfterEach
  void nothingLeaks() {
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 300, 20_000})
  void sortsRandomRecordsOfAllSizes(int partitions) throws IOException {
    assertSorts(
        partitions,
        30_000,
        new BytewiseOrder(),
        random -> bytes(random, random.nextInt(24), 256),
        random -> random.nextInt(random.nextInt(100) == 0 ? 3000 : 60));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40})
  void sortsFewDistinctKeysManyTimes(int partitions) throws IOException {
    assertSorts(
        partitions,
        60_000,
        new BytewiseOrder(),
        random -> bytes(random, random.nextInt(12), 2),
        random -> random.nextInt(3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40})
  void sortsKeysThatShareALongBeginning(int partitions) throws IOException {
    assertSorts(
        partitions,
        30_000,
        new BytewiseOrder(),
        random -> {
          byte[] key = new byte[30 + random.nextInt(3)];
          int tail = key.length - random.nextInt(3) * 5;
          for (int i = Math.max(tail - 4, 0); i < tail; i++) {
            key[i] = (byte) random.nextInt(6);
          }
          return key;
        },
        random -> random.nextInt(10));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void sortsByAComparatorWithoutPrefix(int partitions) throws IOException {
    assertSorts(
        partitions,
        20_000,
        new UnprefixedOrder(),
        random -> bytes(random, random.nextInt(6), 256),
        random -> random.nextInt(20));
  }

  @Test
  void sortsIntegers() throws IOException {
    assertSorts(
        3,
        50_000,
        new SignedOrder(4),
        random -> bytes(random, 4, 256),
        random -> random.nextInt(9));
  }

  /** Differences in the prefix's lowest bits, below those a leaf sorts by. */
  @Test
  void sortsNumbersThatDifferInFirstAndLastBitsOnly() throws IOException {
    assertSorts(
        1,
        20_000,
        new SignedOrder(8),
        random -> {
          byte[] key = new byte[8];
          key[0] = (byte) (random.nextInt(50) == 0 ? random.nextInt(4) << 6 : 0);
          key[7] = (byte) random.nextInt(256);
          key[6] = (byte) random.nextInt(4);
          return key;
        },
        random -> 0);
  }

  /**
   * Their keys may be as large as the buffer, and would be copied to the heap whole for each level.
   */
  @Test
  void looksAtNoKeyOfFewRecordsThatBeginAlikeInPartitionsOfTheirOwn() throws IOException {
    CountingOrder order = new CountingOrder(new BytewiseOrder(), -1);
    try (SortChunks pool = new SortChunks(64 * 1024, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 5, order)) {
      for (int partition = 0; partition < 5; partition++) {
        assertTrue(buffer.append(new byte[3000], 0, 3000, 0, partition));
      }
      assertEquals(5, buffer.sort().endOf(4));
      assertEquals(0, order.furtherPrefixes);
      assertEquals(0, order.comparisons);
    }
  }

  @Test
  void refusesARecordWithoutHarmWhenFullAndTakesItAfterReset() throws IOException {
    try (SortChunks pool = new SortChunks(4 * 1024, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 3, new BytewiseOrder())) {
      byte[] record = new byte[100];
      int taken = 0;
      while (buffer.append(record, 0, 10, 90, taken % 3)) {
        taken++;
      }
      assertEquals(30, taken);
      assertEquals(taken, buffer.recordCount());
      assertEquals(102L * taken, buffer.dataBytes());
      SortedRecords sorted = buffer.sort();
      assertEquals(taken, sorted.endOf(2));
      assertThrows(IllegalStateException.class, () -> buffer.append(record, 0, 10, 90, 0));
      buffer.reset();
      assertEquals(0, pool.acquiredBytes());
      assertTrue(buffer.append(record, 0, 10, 90, 0));
      assertEquals(1, buffer.recordCount());
      assertEquals(1, buffer.sort().endOf(2));
    }
  }

  /** What a refused record had been promised must not be missing to those that come after it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 20})
  void refusingALargeRecordLeavesTheRoomToOthers(int before) throws IOException {
    try (SortChunks pool = new SortChunks(8 * 1024, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 3, new BytewiseOrder())) {
      byte[] record = new byte[8 * 1024];
      for (int i = 0; i < before; i++) {
        assertTrue(buffer.append(record, 0, 10, 90, 0));
      }
      long acquiredBytes = pool.acquiredBytes();
      // More than the pool has, all of its chunks, and all but the one that the index needs.
      for (int lengthBytes : new int[] {8 * 1024, 8 * 1024 - 14, 7 * 1024 + 1}) {
        assertFalse(buffer.append(record, 0, 10, lengthBytes - 10, 0));
        assertEquals(acquiredBytes, pool.acquiredBytes(), lengthBytes + " bytes were refused");
      }
      int taken = before;
      while (buffer.append(record, 0, 10, 90, 0)) {
        taken++;
      }
      assertTrue(taken > 60, taken + " of 116 bytes with their index, in 8 KiB");
      assertEquals(taken, buffer.sort().endOf(0));
    }
  }

  @Test
  void countsTheIndexAgainstThePool() throws IOException {
    try (SortChunks pool = new SortChunks(64 * 1024, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 1, new BytewiseOrder())) {
      int taken = 0;
      while (buffer.append(new byte[0], 0, 0, 0, 0)) {
        taken++;
      }
      assertTrue(pool.acquiredBytes() >= 63 * 1024, "the rest cannot hold a record and its entry");
      assertTrue(taken * 18L > 62 * 1024, taken + " empty records fit");
      assertEquals(2L * taken, buffer.sort().encodedBytes(0));
    }
  }

  @Test
  void takesARecordAsLargeAsAllChunksButOne() throws IOException {
    try (SortChunks pool = new SortChunks(16 * 1024, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 1, new BytewiseOrder())) {
      int largest = 15 * 1024 - 3 - 1;
      byte[] record = bytes(new Random(1), largest + 2, 256);
      assertTrue(buffer.fitsEmpty(1, largest - 1));
      assertFalse(buffer.fitsEmpty(1, largest));
      assertFalse(buffer.append(record, 0, 1, largest, 0));
      buffer.reset();
      assertTrue(buffer.append(record, 0, 1, largest - 1, 0));
      byte[] copy = new byte[largest];
      buffer.sort().copyKeyValue(0, copy, 0);
      assertEquals(Arrays.hashCode(Arrays.copyOf(record, largest)), Arrays.hashCode(copy));
    }
  }

  @Test
  void sortsNothing() throws IOException {
    try (SortChunks pool = new SortChunks(4096, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 3, new BytewiseOrder())) {
      SortedRecords sorted = buffer.sort();
      assertEquals(0, sorted.endOf(2));
      assertEquals(0, sorted.encodedBytes(1));
    }
  }

  @Test
  void refusesAPartitionThatIsNone() throws IOException {
    try (SortChunks pool = new SortChunks(4096, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 3, new BytewiseOrder())) {
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 1, 3));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 1, -1));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 0, 1, 2, 0));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.append(new byte[2], 1, -1, 1, 0));
      assertEquals(0, buffer.recordCount());
    }
  }

  @Test
  void keepsNothingOfASortThatFailed() throws IOException {
    KeyOrder order = new CountingOrder(new UnprefixedOrder(), 5);
    try (SortChunks pool = new SortChunks(8192, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 1, order)) {
      for (int i = 0; i < 20; i++) {
        assertTrue(buffer.append(new byte[] {(byte) i}, 0, 1, 0, 0));
      }
      assertThrows(IllegalArgumentException.class, buffer::sort);
      assertThrows(IllegalStateException.class, buffer::sort);
      assertThrows(IllegalStateException.class, () -> buffer.append(new byte[1], 0, 1, 0, 0));
      buffer.reset();
      assertEquals(0, buffer.sort().endOf(0));
    }
  }

  interface Source<T> {
    T next(Random random);
  }

  private static void assertSorts(
      int partitions, int count, KeyOrder order, Source<byte[]> keys, Source<Integer> values)
      throws IOException {
    Random random = TestSeed.random();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(
          new TestRecord(
              random.nextInt(partitions),
              keys.next(random),
              bytes(random, values.next(random), 256)));
    }
    try (SortChunks pool = new SortChunks(64 << 20, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, partitions, order)) {
      for (int round = 0; round < 2; round++) {
        SortOracle.assertSortsTo(buffer, records, partitions, order);
        buffer.reset();
      }
    }
  }

  private static byte[] bytes(Random random, int length, int alphabet) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) random.nextInt(alphabet);
    }
    return bytes;
  }
}
