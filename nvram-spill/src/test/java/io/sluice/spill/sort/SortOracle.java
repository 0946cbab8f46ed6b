package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.record.TestRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Compares what a buffer made of records with what the JDK's sort makes of them. */
final class SortOracle {
  private SortOracle() {}

  static void assertSortsTo(
      RecordBuffer buffer, List<TestRecord> records, int partitions, KeyOrder order)
      throws IOException {
    for (TestRecord record : records) {
      byte[] bytes = record.keyValue();
      assertTrue(
          buffer.append(bytes, 0, record.key().length, record.value().length, record.partition()));
    }
    SortedRecords sorted = buffer.sort();
    List<TestRecord> expected = new ArrayList<>(records);
    expected.sort(
        Comparator.comparingInt(TestRecord::partition)
            .thenComparing(
                TestRecord::key, (a, b) -> order.compare(a, 0, a.length, b, 0, b.length)));
    List<TestRecord> actual = read(sorted, partitions);
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      TestRecord e = expected.get(i);
      TestRecord a = actual.get(i);
      assertEquals(e.partition(), a.partition(), "partition at position " + i);
      assertEquals(
          0,
          order.compare(e.key(), 0, e.key().length, a.key(), 0, a.key().length),
          () -> "key " + a + ", expected " + e);
    }
    assertEquals(count(expected), count(actual), "same records, each as often");
    assertGathers(sorted, actual, partitions);
    assertWalks(sorted, actual, partitions);
  }

  private static List<TestRecord> read(SortedRecords sorted, int partitions) {
    List<TestRecord> records = new ArrayList<>();
    int position = 0;
    for (int partition = 0; partition < partitions; partition++) {
      assertEquals(position, sorted.firstOf(partition));
      int before = records.size();
      for (; position < sorted.endOf(partition); position++) {
        byte[] bytes = new byte[sorted.keyLength(position) + sorted.valueLength(position) + 2];
        sorted.copyKeyValue(position, bytes, 1);
        int split = 1 + sorted.keyLength(position);
        TestRecord record =
            new TestRecord(
                partition,
                Arrays.copyOfRange(bytes, 1, split),
                Arrays.copyOfRange(bytes, split, bytes.length - 1));
        records.addAll(Collections.nCopies(sorted.copies(position), record));
      }
      assertEquals(records.size() - before, sorted.recordCount(partition));
    }
    return records;
  }

  private static Map<TestRecord, Integer> count(List<TestRecord> records) {
    Map<TestRecord, Integer> counts = new HashMap<>();
    records.forEach(record -> counts.merge(record, 1, Integer::sum));
    return counts;
  }

  private static void assertWalks(SortedRecords sorted, List<TestRecord> records, int partitions) {
    Iterator<TestRecord> expected = records.iterator();
    for (int partition = 0; partition < partitions; partition++) {
      SortedCursor cursor =
          new SortedCursor(sorted, sorted.firstOf(partition), sorted.endOf(partition));
      while (cursor.next()) {
        int key = cursor.keyOffset();
        int value = cursor.valueOffset();
        assertEquals(
            expected.next(),
            new TestRecord(
                partition,
                Arrays.copyOfRange(cursor.bytes(), key, key + cursor.keyLength()),
                Arrays.copyOfRange(cursor.bytes(), value, value + cursor.valueLength())));
      }
    }
    assertFalse(expected.hasNext());
  }

  /**
   * Gathers through a small window, as a spill does through the extents it has leased, and now and
   * then copies one alone, as it does where a block ends.
   */
  private static void assertGathers(
      SortedRecords sorted, List<TestRecord> records, int partitions) {
    ByteBuffer window = ByteBuffer.allocateDirect(5000);
    Iterator<TestRecord> expected = records.iterator();
    for (int partition = 0; partition < partitions; partition++) {
      long gathered = 0;
      SortedRun run = new SortedRun(sorted, partition);
      while (run.hasNext()) {
        byte[] alone = new byte[run.nextLength() + 1];
        run.copyNext(alone);
        byte[] next = expected.next().encoded();
        assertArrayEquals(next, Arrays.copyOf(alone, next.length));
        gathered += next.length;
        window.clear().position(3);
        run.copy(window);
        assertTrue(!run.hasNext() || run.nextLength() > window.remaining());
        window.flip().position(3);
        gathered += window.remaining();
        while (window.hasRemaining()) {
          byte[] encoded = expected.next().encoded();
          byte[] found = new byte[encoded.length];
          window.get(found);
          assertArrayEquals(encoded, found);
        }
      }
      assertEquals(gathered, sorted.encodedBytes(partition));
    }
    assertFalse(expected.hasNext());
  }
}
