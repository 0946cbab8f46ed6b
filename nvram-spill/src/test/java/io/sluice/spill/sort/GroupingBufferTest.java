package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.record.TestRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupingBufferTest implements SortBufferContract {
  private static final KeyOrder ORDER = new BytewiseOrder();

  private final long allocatedBefore = OffHeap.allocatedBytes();

  @AfterEach
  void nothingLeaks() {
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  @Override
  public SortBuffer buffer(SortChunks pool, int partitions, KeyOrder order) {
    return new GroupingBuffer(pool, partitions, order);
  }

  /** Combiners may rely on it as little as with stock; it is what a reader of the code expects. */
  @Test
  void keepsTheValuesOfAKeyInTheirOrder() throws IOException {
    try (SortChunks pool = new SortChunks(16 << 20, 4096);
        SortBuffer buffer = buffer(pool, 2, ORDER)) {
      for (int i = 0; i < 100_000; i++) {
        byte[] value = ByteBuffer.allocate(4).putInt(i).array();
        assertTrue(
            SortBufferContract.append(
                buffer, new TestRecord(i % 2, new byte[] {(byte) (i / 2 % 3)}, value)));
      }
      int[] last = {-1, -1, -1, -1, -1, -1};
      List<TestRecord> records = SortBufferContract.read(buffer.sort(), 2, ORDER);
      assertEquals(100_000, records.size());
      for (TestRecord record : records) {
        int value = ByteBuffer.wrap(record.value()).getInt();
        int key = 2 * record.key()[0] + record.partition();
        assertTrue(value > last[key], value + " after " + last[key]);
        last[key] = value;
      }
    }
  }

  /** What a value costs whose key is there: its bytes and its length, and no index. */
  @Test
  void takesManyTimesTheRecordsWhereKeysRepeat() throws IOException {
    long grouped = recordsInAMegabyte(i -> i % 50);
    long distinct = recordsInAMegabyte(i -> i);
    assertTrue(grouped > 5 * distinct, grouped + " grouped, " + distinct + " of distinct keys");
  }

  private interface KeyAt {
    int of(int record);
  }

  private long recordsInAMegabyte(KeyAt key) throws IOException {
    try (SortChunks pool = new SortChunks(1 << 20, 4096);
        SortBuffer buffer = buffer(pool, 1, ORDER)) {
      byte[] record = new byte[12];
      for (int i = 0; ; i++) {
        if (!buffer.append(ByteBuffer.wrap(record).putInt(4, key.of(i)).array(), 0, 8, 4, 0)) {
          return buffer.recordCount();
        }
      }
    }
  }

  /** From the sample on, and in every fill after, as a record buffer takes them. */
  @Test
  void takesNoMoreMemoryThanARecordBufferWhereKeysDoNotRepeat() throws IOException {
    try (SortChunks pool = new SortChunks(64 << 20, 4096);
        SortBuffer grouping = buffer(pool, 1, ORDER);
        SortChunks otherPool = new SortChunks(64 << 20, 4096);
        SortBuffer plain = new RecordBuffer(otherPool, 1, ORDER)) {
      for (int fill = 0; fill < 2; fill++) {
        for (int i = 0; i <= GroupingBuffer.SAMPLE_RECORDS; i++) {
          byte[] record = ByteBuffer.allocate(8).putInt(i).array();
          assertTrue(grouping.append(record, 0, 4, 4, 0));
          assertTrue(plain.append(record, 0, 4, 4, 0));
        }
        assertEquals(otherPool.acquiredBytes(), pool.acquiredBytes());
        assertEquals(plain.dataBytes(), grouping.dataBytes());
        assertEquals(
            GroupingBuffer.SAMPLE_RECORDS + 1,
            SortBufferContract.read(grouping.sort(), 1, ORDER).size());
        grouping.reset();
        plain.reset();
      }
    }
  }

  /** A value longer than any block, after some or too many to be moved. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, GroupingBuffer.SAMPLE_RECORDS, GroupingBuffer.SAMPLE_RECORDS + 1})
  void goesOnWithRecordsAfterALongValue(int before) throws IOException {
    Random random = TestSeed.random();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < before; i++) {
      records.add(new TestRecord(0, new byte[] {(byte) (i % 9)}, new byte[] {(byte) i}));
    }
    TestRecord large = new TestRecord(0, new byte[] {3}, SortBufferContract.bytes(random, 9000, 9));
    try (SortChunks pool = new SortChunks(16 << 20, 4096);
        SortBuffer buffer = buffer(pool, 1, ORDER)) {
      if (before > GroupingBuffer.SAMPLE_RECORDS) {
        SortBufferContract.assertWalks(buffer, records, 1, ORDER);
        buffer.reset();
        for (TestRecord record : records) {
          assertTrue(SortBufferContract.append(buffer, record));
        }
        assertEquals(false, SortBufferContract.append(buffer, large));
        assertEquals(before, SortBufferContract.read(buffer.sort(), 1, ORDER).size());
        buffer.reset();
        records.clear();
      }
      records.add(large);
      SortBufferContract.assertWalks(buffer, records, 1, ORDER);
    }
  }

  /** They may cost memory, never a search through all of them. */
  @Test
  void findsKeysThatWereChosenToCollide() throws IOException {
    List<byte[]> keys = new ArrayList<>();
    Random random = TestSeed.random();
    while (keys.size() < 150) {
      byte[] key = SortBufferContract.bytes(random, 9, 256);
      if ((KeyHash.of(key, 0, key.length, 0) >>> 1 & 0x3fff) == 5) {
        keys.add(key);
      }
    }
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      records.add(new TestRecord(0, keys.get(i % keys.size()), new byte[] {(byte) i}));
    }
    try (SortChunks pool = new SortChunks(16 << 20, 1 << 16); // 8,192 slots in a chunk
        SortBuffer buffer = buffer(pool, 1, ORDER)) {
      SortBufferContract.assertWalks(buffer, records, 1, ORDER);
    }
  }

  @Test
  void tellsKeysApartByEveryByteAndPartition() throws IOException {
    for (int length = 0; length < 40; length++) {
      List<TestRecord> records = new ArrayList<>();
      for (int changed = 0; changed <= length; changed++) {
        byte[] key = new byte[length];
        if (changed < length) {
          key[changed] = 1;
        }
        for (int i = 0; i < 4; i++) {
          records.add(new TestRecord(i % 2, key, new byte[] {(byte) changed}));
        }
      }
      try (SortChunks pool = new SortChunks(1 << 20, 64); // keys straddle chunks
          SortBuffer buffer = buffer(pool, 2, ORDER)) {
        SortBufferContract.assertWalks(buffer, records, 2, ORDER);
      }
      assertArrayEquals(new byte[length], records.get(records.size() - 1).key());
    }
  }
}
