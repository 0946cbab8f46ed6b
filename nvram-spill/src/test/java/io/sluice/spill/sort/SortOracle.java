package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.TestRecord;
import io.sluice.spill.sort.SortedRecords.SortedCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
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
    for (int partition = 0; partition < partitions; partition++) {
      assertEquals(records.size(), sorted.firstOf(partition));
      for (int i = sorted.firstOf(partition); i < sorted.endOf(partition); i++) {
        byte[] bytes = new byte[sorted.keyLength(i) + sorted.valueLength(i) + 2];
        sorted.copyKeyValue(i, bytes, 1);
        int split = 1 + sorted.keyLength(i);
        records.add(
            new TestRecord(
                partition,
                Arrays.copyOfRange(bytes, 1, split),
                Arrays.copyOfRange(bytes, split, bytes.length - 1)));
      }
    }
    return records;
  }

  private static Map<TestRecord, Integer> count(List<TestRecord> records) {
    Map<TestRecord, Integer> counts = new HashMap<>();
    records.forEach(record -> counts.merge(record, 1, Integer::sum));
    return counts;
  }

  private static void assertWalks(SortedRecords sorted, List<TestRecord> records, int partitions) {
    for (int partition = 0; partition < partitions; partition++) {
      int position = sorted.firstOf(partition);
      SortedCursor cursor = new SortedCursor(sorted, position, sorted.endOf(partition));
      while (cursor.next()) {
        int key = cursor.keyOffset();
        int value = cursor.valueOffset();
        assertEquals(
            records.get(position++),
            new TestRecord(
                partition,
                Arrays.copyOfRange(cursor.bytes(), key, key + cursor.keyLength()),
                Arrays.copyOfRange(cursor.bytes(), value, value + cursor.valueLength())));
      }
      assertEquals(sorted.endOf(partition), position);
    }
  }

  /** Gathers through a small window, as a spill does through the extents it has leased. */
  private static void assertGathers(
      SortedRecords sorted, List<TestRecord> records, int partitions) {
    ByteBuffer window = ByteBuffer.allocateDirect(5000);
    for (int partition = 0; partition < partitions; partition++) {
      long gathered = 0;
      int position = sorted.firstOf(partition);
      int end = sorted.endOf(partition);
      while (position < end) {
        window.clear().position(3);
        int next = sorted.copyEncoded(position, end, window);
        assertTrue(next > position);
        assertTrue(next == end || sorted.encodedLength(next) > window.remaining());
        ByteBuffer expected = ByteBuffer.allocate(window.position() - 3);
        for (int i = position; i < next; i++) {
          expected.put(records.get(i).encoded());
        }
        assertEquals(expected.flip(), window.flip().position(3));
        gathered += expected.limit();
        position = next;
      }
      assertEquals(gathered, sorted.encodedBytes(partition));
    }
  }
}
