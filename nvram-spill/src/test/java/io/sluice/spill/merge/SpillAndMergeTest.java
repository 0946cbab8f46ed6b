package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.TestRecord;
import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The whole way of a record: collected, spilled when the pool is full, merged with other spills.
 */
class SpillAndMergeTest {
  private static final int PARTITIONS = 3;

  private final KeyOrder order = new BytewiseOrder();
  private final List<List<byte[]>> runs = new ArrayList<>();

  @Test
  void whatAMapEmitsAReduceGetsInOrder() throws IOException {
    long allocatedBefore = OffHeap.allocatedBytes();
    Random random = TestSeed.random();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      runs.add(new ArrayList<>());
    }
    List<TestRecord> records = new ArrayList<>();
    try (SortChunks pool = new SortChunks(128 * 1024, 4096);
        RecordBuffer buffer = new RecordBuffer(pool, PARTITIONS, order)) {
      for (TestRecord record : RunCursorTest.randomRecords(random, 20_000)) {
        int partition = random.nextInt(PARTITIONS);
        records.add(new TestRecord(partition, record.key(), record.value()));
        while (!buffer.append(
            record.keyValue(), 0, record.key().length, record.value().length, partition)) {
          spill(buffer);
        }
      }
      spill(buffer);
    }
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
    assertTrue(runs.get(0).size() > 5, "several spills");
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertMerges(partition, records);
    }
  }

  private void spill(RecordBuffer buffer) {
    SortedRecords sorted = buffer.sort();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int end = sorted.endOf(partition);
      ByteBuffer run =
          ByteBuffer.allocate((int) sorted.encodedBytes(partition) + RecordFormat.END_BYTES);
      assertEquals(end, sorted.copyEncoded(sorted.firstOf(partition), end, run));
      assertEquals(run.limit(), RecordFormat.putEnd(run, run.position()));
      runs.get(partition).add(run.array());
    }
    buffer.reset();
  }

  private void assertMerges(int partition, List<TestRecord> records) throws IOException {
    List<RunCursor> cursors = new ArrayList<>();
    for (byte[] run : runs.get(partition)) {
      BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(run));
      RunInput input = VerifiedRunInputTest.open(run, run.length, checksums);
      cursors.add(new RunCursor("spill", input, 1000));
    }
    List<byte[]> actual = new ArrayList<>();
    List<byte[]> keys = new ArrayList<>();
    try (KWayMerge merge = new KWayMerge(cursors, order)) {
      while (merge.next()) {
        int key = merge.keyOffset();
        int end = merge.valueOffset() + merge.valueLength();
        actual.add(Arrays.copyOfRange(merge.keyBytes(), key, end));
        keys.add(Arrays.copyOfRange(merge.keyBytes(), key, key + merge.keyLength()));
      }
    }
    List<byte[]> expectedKeys = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    for (TestRecord record : records) {
      if (record.partition() == partition) {
        expectedKeys.add(record.key());
        expected.add(record.keyValue());
      }
    }
    expectedKeys.sort(Arrays::compareUnsigned);
    assertArrayEquals(expectedKeys.toArray(), keys.toArray(), "keys in order");
    Comparator<byte[]> byContent = Arrays::compareUnsigned;
    expected.sort(byContent);
    actual.sort(byContent);
    assertArrayEquals(expected.toArray(), actual.toArray(), "same records");
  }
}
