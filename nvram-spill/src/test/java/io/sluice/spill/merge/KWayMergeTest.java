package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.TestRecord;
import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.UnprefixedOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KWayMergeTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 8, 13, 100})
  void mergesRunsByPrefixAndComparison(int runs) throws IOException {
    assertMerges(runs, new BytewiseOrder());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 16})
  void mergesRunsWithoutPrefix(int runs) throws IOException {
    assertMerges(runs, new UnprefixedOrder());
  }

  @Test
  void closesEachRunAtItsEndAndTheRestAtClose() throws IOException {
    TestRecord small = new TestRecord(0, new byte[] {1}, new byte[0]);
    TestRecord large = new TestRecord(0, new byte[] {2}, new byte[100]);
    TrickleRunInput first = new TrickleRunInput(TestRecord.run(List.of(small)), 1);
    TrickleRunInput second =
        new TrickleRunInput(TestRecord.run(List.of(large, large, large, large)), 1);
    KWayMerge merge = merge(List.of(first, second), new BytewiseOrder());
    assertTrue(merge.next());
    assertEquals(1, first.closeCount);
    assertEquals(0, second.closeCount);
    merge.close();
    assertEquals(1, second.closeCount);
  }

  @Test
  void closesAllRunsWhenSomeFailToAndTellsOfEach() {
    IOException one = new IOException("one");
    IOException two = new IOException("two");
    byte[] run = TestRecord.run(List.of());
    List<TrickleRunInput> inputs =
        List.of(
            new TrickleRunInput(run, 1, one),
            new TrickleRunInput(run, 1, two),
            new TrickleRunInput(run, 1));
    KWayMerge merge = merge(inputs, new BytewiseOrder());
    assertSame(one, assertThrows(IOException.class, merge::close));
    assertSame(two, one.getSuppressed()[0]);
    inputs.forEach(input -> assertEquals(1, input.closeCount));
  }

  @Test
  void passesADamagedRunsFailureOn() {
    byte[] good = TestRecord.run(List.of(new TestRecord(0, new byte[] {1}, new byte[0])));
    KWayMerge merge =
        merge(
            List.of(
                new TrickleRunInput(good, 1),
                new TrickleRunInput(Arrays.copyOf(good, good.length - 1), 1)),
            new BytewiseOrder());
    IOException e =
        assertThrows(
            IOException.class,
            () -> {
              while (merge.next()) {}
            });
    assertTrue(e.getMessage().startsWith("run r1, position 0"), e.getMessage());
  }

  private static void assertMerges(int runs, KeyOrder order) throws IOException {
    Random random = TestSeed.random();
    List<List<TestRecord>> sorted = new ArrayList<>();
    List<TestRecord> expected = new ArrayList<>();
    List<RunInput> inputs = new ArrayList<>();
    long bytes = 0;
    for (int run = 0; run < runs; run++) {
      List<TestRecord> records = new ArrayList<>();
      for (int i = random.nextInt(400); i > 0; i--) {
        byte[] key = new byte[random.nextInt(12)];
        for (int b = 0; b < key.length; b++) {
          key[b] = (byte) -random.nextInt(2);
        }
        byte[] value = new byte[random.nextInt(30)];
        Arrays.fill(value, (byte) run);
        records.add(new TestRecord(0, key, value));
        bytes += records.get(records.size() - 1).encoded().length;
      }
      records.sort(byKey(order));
      sorted.add(records);
      expected.addAll(records);
      inputs.add(new TrickleRunInput(TestRecord.run(records), random.nextLong()));
    }
    expected.sort(byKey(order)); // stable: equal keys stay in order of their runs
    List<TestRecord> actual = new ArrayList<>();
    try (KWayMerge merge = merge(inputs, order)) {
      assertEquals(0, merge.progress());
      float progress = 0;
      while (merge.next()) {
        actual.add(current(merge));
        assertTrue(merge.progress() >= progress && merge.progress() <= 1);
        progress = merge.progress();
      }
      assertFalse(merge.next());
      assertEquals(1, merge.progress());
      assertEquals(bytes, merge.consumedBytes());
    }
    assertEquals(expected, actual);
  }

  private static Comparator<TestRecord> byKey(KeyOrder order) {
    return Comparator.comparing(
        TestRecord::key, (a, b) -> order.compare(a, 0, a.length, b, 0, b.length));
  }

  private static KWayMerge merge(List<? extends RunInput> inputs, KeyOrder order) {
    List<RunCursor> cursors = new ArrayList<>();
    for (RunInput input : inputs) {
      cursors.add(new RunCursor("r" + cursors.size(), input, 50));
    }
    return new KWayMerge(cursors, order);
  }

  private static TestRecord current(KWayMerge merge) {
    int key = merge.keyOffset();
    int value = merge.valueOffset();
    return new TestRecord(
        0,
        Arrays.copyOfRange(merge.keyBytes(), key, key + merge.keyLength()),
        Arrays.copyOfRange(merge.valueBytes(), value, value + merge.valueLength()));
  }
}
