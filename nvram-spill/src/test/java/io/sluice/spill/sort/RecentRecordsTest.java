package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.record.TestRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that come again: each comes out as often as it went in, and is stored less often. */
class RecentRecordsTest {
  private final long allocatedBefore = OffHeap.allocatedBytes();

  @AfterEach
  void nothingLeaks() {
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  private static TestRecord record(int number, int partition, int keyLength, int valueLength) {
    byte[] bytes = new byte[Math.max(4, keyLength + valueLength)];
    ByteBuffer.wrap(bytes).putInt(number);
    return new TestRecord(
        partition,
        Arrays.copyOf(bytes, keyLength),
        Arrays.copyOfRange(bytes, keyLength, keyLength + valueLength));
  }

  private static boolean append(RecordBuffer buffer, TestRecord record) throws IOException {
    return buffer.append(
        record.keyValue(), 0, record.key().length, record.value().length, record.partition());
  }

  private static int entries(RecordBuffer buffer, int partitions) {
    return buffer.sort().endOf(partitions - 1);
  }

  /** Frequencies as words have them, records of all lengths around the longest that is kept. */
  @ParameterizedTest
  @CsvSource({"1, 50", "3, 5000", "40, 60000", "3, 1000000"})
  void comeOutAsOftenAsTheyWentIn(int partitions, int distinct) throws IOException {
    Random random = TestSeed.random();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      int number = (int) (distinct * Math.pow(random.nextDouble(), 3));
      int partition = random.nextInt(9) == 0 ? random.nextInt(partitions) : number % partitions;
      records.add(record(number, partition, number % 30, number % 23));
    }
    try (SortChunks pool = new SortChunks(64 << 20, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, partitions, new BytewiseOrder())) {
      for (int round = 0; round < 2; round++) {
        SortOracle.assertSortsTo(buffer, records, partitions, new BytewiseOrder());
        buffer.reset();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 20, 48})
  void areStoredOnceIfTheyAreFew(int keyLength) throws IOException {
    try (SortChunks pool = new SortChunks(1 << 20, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, 1, new BytewiseOrder())) {
      int count = 60_000;
      for (int i = 0; i < count; i++) {
        assertTrue(append(buffer, record(i % 10, 0, keyLength, 48 - keyLength)));
      }
      assertEquals(count, buffer.recordCount());
      assertEquals(50L * count, buffer.dataBytes());
      assertTrue(pool.acquiredBytes() < 200_000, pool.acquiredBytes() + " bytes");
      assertEquals(RecentRecords.FIRST_PAUSE + 10, entries(buffer, 1));
    }
  }

  @Test
  void ofOneByteMoreAreNotLookedAt() throws IOException {
    try (SortChunks pool = new SortChunks(1 << 20, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, 1, new BytewiseOrder())) {
      for (int i = 0; i < 5_000; i++) {
        assertTrue(append(buffer, record(7, 0, 10, 39)));
      }
      assertEquals(5_000, entries(buffer, 1));
    }
  }

  /**
   * The same bytes, cut elsewhere into key and value, or for another reduce, are another record.
   */
  @Test
  void differInLengthsAndPartitionsToo() throws IOException {
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      byte[] key = new byte[i % 7];
      records.add(new TestRecord(i % 3, key, new byte[6 - key.length]));
    }
    try (SortChunks pool = new SortChunks(8 << 20, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, 3, new BytewiseOrder())) {
      SortOracle.assertSortsTo(buffer, records, 3, new BytewiseOrder());
      int entries = buffer.sort().endOf(2);
      assertTrue(entries <= RecentRecords.FIRST_PAUSE + 21, entries + " entries");
    }
  }

  /** What is all different is looked up now and then, to see whether that has changed. */
  @Test
  void pauseWhereTheyDoNotComeAgainAndAreSeenWhenTheyDo() throws IOException {
    RecentRecords recent = new RecentRecords();
    Map<Integer, Integer> evicted = new HashMap<>();
    RecentRecords.Sink sink =
        (bytes, offset, keyLength, valueLength, partition, copies) ->
            evicted.merge(ByteBuffer.wrap(bytes).getInt(offset), copies, Integer::sum);
    int wanted = 0;
    int distinct = 3 * (RecentRecords.PAUSE + RecentRecords.WINDOW);
    int kept = 0;
    for (int i = 0; i < distinct; i++) {
      if (recent.wants(4, 0)) {
        wanted++;
        byte[] key = record(i, 0, 4, 0).key();
        int hash = recent.hash(key, 0, 4, 0, 0);
        assertFalse(recent.count(hash, key, 0, 4, 0, 0));
        kept += recent.keep(hash, key, 0, 4, 0, 0, sink) ? 1 : 0;
      }
    }
    assertTrue(wanted <= 4 * (RecentRecords.WINDOW + 1), wanted + " were looked up");
    recent.drain(sink);
    assertEquals(0, recent.size());
    assertEquals(0, recent.keptBytes());
    assertEquals(kept, evicted.size());
    evicted.values().forEach(copies -> assertEquals(1, copies));
    evicted.clear();
    byte[] key = record(-1, 0, 4, 0).key();
    int counted = 0;
    for (int i = 0; i < 2 * RecentRecords.PAUSE; i++) {
      if (recent.wants(4, 0)) {
        int hash = recent.hash(key, 0, 4, 0, 0);
        if (recent.count(hash, key, 0, 4, 0, 0) || recent.keep(hash, key, 0, 4, 0, 0, sink)) {
          counted++;
        }
      }
    }
    assertTrue(counted >= RecentRecords.PAUSE, counted + " were counted");
    recent.drain(sink);
    assertEquals(Map.of(-1, counted), evicted);
  }

  /**
   * Room for what is kept aside is always there: a full buffer says so before, and loses nothing.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 17, 100})
  void haveRoomInAFullBuffer(int chunks) throws IOException {
    Random random = TestSeed.random();
    Map<TestRecord, Integer> expected = new HashMap<>();
    Map<TestRecord, Integer> found = new HashMap<>();
    int refused = 0;
    try (SortChunks pool = new SortChunks(chunks * 1024L, 1024);
        RecordBuffer buffer = new RecordBuffer(pool, 2, new BytewiseOrder())) {
      for (int i = 0; i < 60_000; i++) {
        int number = random.nextInt(1 + random.nextInt(20_000));
        TestRecord record = record(number, number % 2, 4, number % 40);
        if (!append(buffer, record)) {
          refused++;
          collect(buffer.sort(), found);
          buffer.reset();
          assertEquals(0, pool.acquiredBytes());
          assertTrue(append(buffer, record));
        }
        expected.merge(record, 1, Integer::sum);
      }
      collect(buffer.sort(), found);
    }
    assertTrue(refused > 10, refused + " times full");
    assertEquals(expected, found);
  }

  private static void collect(SortedRecords sorted, Map<TestRecord, Integer> into) {
    for (int partition = 0; partition < sorted.partitionCount(); partition++) {
      SortedRun run = new SortedRun(sorted, partition);
      ByteBuffer window = ByteBuffer.allocate(100);
      while (run.hasNext()) {
        run.copy(window.clear());
        window.flip();
        while (window.hasRemaining()) {
          byte[] key = new byte[window.get()];
          byte[] value = new byte[window.get()];
          window.get(key).get(value);
          into.merge(new TestRecord(partition, key, value), 1, Integer::sum);
        }
      }
    }
  }
}
