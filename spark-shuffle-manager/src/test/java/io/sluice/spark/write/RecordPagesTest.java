package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordPagesTest {
  private record Entry(int partition, byte[] bytes) {}

  private static void neverFull() {
    throw new AssertionError("it has room for more");
  }

  private static byte[] read(RecordPages pages, int i) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    pages.writeTo(i, out);
    return out.toByteArray();
  }

  @Test
  void sortsByPartitionAndKeepsTheOrderOfArrival() throws IOException {
    Random random = new Random(5);
    RecordPages pages = new RecordPages(bytes -> {}, RecordPagesTest::neverFull);
    List<Entry> expected = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      int partition = random.nextInt(RecordPages.MOST_PARTITIONS);
      partition = i % 3 == 0 ? partition : partition % 10;
      pages.add(partition, bytes, bytes.length);
      expected.add(new Entry(partition, bytes));
    }
    expected.sort(Comparator.comparingInt(Entry::partition)); // a stable sort
    pages.sort();
    assertEquals(expected.size(), pages.count());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i).partition(), pages.partition(i));
      assertArrayEquals(expected.get(i).bytes(), read(pages, i));
    }
  }

  @Test
  void keepsRecordsLongerThanAPage() throws IOException {
    RecordPages pages = new RecordPages(bytes -> {}, RecordPagesTest::neverFull);
    byte[] small = {1, 2, 3};
    byte[] large = new byte[5 << 20];
    new Random(3).nextBytes(large);
    pages.add(1, small, 3);
    pages.add(0, large, large.length);
    pages.add(1, small, 2);
    pages.sort();
    assertArrayEquals(large, read(pages, 0));
    assertArrayEquals(small, read(pages, 1));
    assertArrayEquals(new byte[] {1, 2}, read(pages, 2));
  }

  @Test
  void takesMemoryBeforeItUsesItAndGoesOnWhenThatEmptiesIt() throws IOException {
    List<Integer> drained = new ArrayList<>();
    long[] taken = new long[1];
    RecordPages[] pages = new RecordPages[1];
    pages[0] =
        new RecordPages(
            bytes -> {
              if (taken[0] + bytes > 4 << 20) {
                drainInto(drained, pages[0]);
                taken[0] = 0;
              }
              taken[0] += bytes;
            },
            RecordPagesTest::neverFull);
    for (int i = 0; i < 200_000; i++) {
      pages[0].add(i % 7, ByteBuffer.allocate(60).putInt(i).array(), 60);
    }
    assertTrue(drained.size() > 0, "it was emptied");
    drainInto(drained, pages[0]);
    assertEquals(200_000, drained.stream().distinct().count());
    assertEquals(200_000, drained.size());
  }

  /** Whatever it asks for, it is emptied: other tasks have all memory. */
  @Test
  void goesOnWhenThereIsNoMemoryAtAll() throws IOException {
    List<Integer> drained = new ArrayList<>();
    RecordPages[] pages = new RecordPages[1];
    pages[0] = new RecordPages(bytes -> drainInto(drained, pages[0]), RecordPagesTest::neverFull);
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      int lengthBytes = i % 1000 == 0 ? 300_000 : Integer.BYTES + random.nextInt(100);
      pages[0].add(i % 7, ByteBuffer.allocate(lengthBytes).putInt(i).array(), lengthBytes);
    }
    drainInto(drained, pages[0]);
    assertEquals(20_000, drained.size());
    assertEquals(20_000, drained.stream().distinct().count());
  }

  @ParameterizedTest
  @CsvSource({"1000, 1000000", "1000000, 3"})
  void isEmptiedWhenItHasAsManyRecordsOrPagesAsItCanHave(int mostRecords, int mostPages)
      throws IOException {
    List<Integer> drained = new ArrayList<>();
    int[] times = new int[1];
    RecordPages[] pages = new RecordPages[1];
    pages[0] =
        new RecordPages(
            bytes -> {},
            () -> {
              drainInto(drained, pages[0]);
              times[0]++;
            },
            mostRecords,
            mostPages);
    for (int i = 0; i < 50_000; i++) {
      pages[0].add(i % 7, ByteBuffer.allocate(60).putInt(i).array(), 60);
      assertTrue(pages[0].count() <= mostRecords);
    }
    assertTrue(times[0] > 0, "it was emptied");
    drainInto(drained, pages[0]);
    assertEquals(50_000, drained.size());
    assertEquals(50_000, drained.stream().distinct().count());
  }

  private static void drainInto(List<Integer> drained, RecordPages pages) throws IOException {
    pages.sort();
    for (int i = 0; i < pages.count(); i++) {
      drained.add(ByteBuffer.wrap(read(pages, i)).getInt());
    }
    pages.clear();
  }
}
