package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs that make a plain quicksort quadratic or deep. */
class AdversarialSortTest {
  private static final int COUNT = 70_000;

  enum Input {
    SORTED(i -> i),
    REVERSED(i -> COUNT - i),
    ALL_EQUAL(i -> 7),
    ORGAN_PIPE(i -> Math.min(i, COUNT - i)),
    SAW_TOOTH(i -> i % 1000),
    TWO_VALUES(i -> i & 1),
    ALMOST_SORTED(i -> i % 997 == 0 ? COUNT - i : i),
    MEDIAN_OF_THREE_KILLER(
        i -> i < COUNT / 2 ? (i & 1) == 0 ? i : COUNT / 2 + i : 2 * (i - COUNT / 2)),
    ONE_LARGE(i -> i == COUNT / 2 ? Integer.MAX_VALUE : COUNT - i);

    final IntUnaryOperator keyAt;

    Input(IntUnaryOperator keyAt) {
      this.keyAt = keyAt;
    }
  }

  @ParameterizedTest
  @EnumSource(Input.class)
  void comparesNoMoreThanAMergeSortWithoutPrefix(Input input) throws IOException {
    long comparisons = assertSorts(input, new UnprefixedOrder(), 0);
    assertTrue(comparisons <= 18L * COUNT, comparisons + " comparisons"); // log2 COUNT and a bit
  }

  @ParameterizedTest
  @EnumSource(Input.class)
  void comparesNothingInFullWhenPrefixesDecide(Input input) throws IOException {
    assertEquals(0, assertSorts(input, new SignedOrder(4), 0));
  }

  @ParameterizedTest
  @EnumSource(Input.class)
  void comparesNothingInFullBehindASharedBeginning(Input input) throws IOException {
    assertEquals(0, assertSorts(input, new BytewiseOrder(), 40));
  }

  @ParameterizedTest
  @EnumSource(Input.class)
  void comparesKeysThatAgreeInAllPrefixes(Input input) throws IOException {
    assertSorts(input, new BytewiseOrder(), 60);
  }

  /** As often as a task's deadline asks for, however slow the comparator is. */
  @Test
  void progressIsReportedWhileKeysAreCompared() throws IOException {
    CountingOrder counting = new CountingOrder(new UnprefixedOrder(), -1);
    AtomicInteger reports = new AtomicInteger();
    try (SortChunks pool = new SortChunks(64 << 20, 1 << 16);
        RecordBuffer buffer = new RecordBuffer(pool, 1, counting)) {
      ByteBuffer key = ByteBuffer.allocate(4);
      for (int i = 0; i < COUNT; i++) {
        key.putInt(0, -i * 31);
        assertTrue(buffer.append(key.array(), 0, 4, 0, 0));
      }
      buffer.sort(reports::incrementAndGet);
      assertTrue(counting.comparisons > COUNT);
      assertEquals(counting.comparisons / TieSort.COMPARISONS_PER_PROGRESS, reports.get());
    }
  }

  /** Keys whose prefixes use up one bit per level at most: deep recursion if it were by bits. */
  @Test
  void sortsPowersOfTwo() throws IOException {
    SignedOrder order = new SignedOrder(8);
    try (SortChunks pool = new SortChunks(64 << 20, 1 << 16);
        RecordBuffer buffer = new RecordBuffer(pool, 1, order)) {
      ByteBuffer key = ByteBuffer.allocate(8);
      for (int i = 0; i < COUNT; i++) {
        assertTrue(buffer.append(key.putLong(0, 1L << i % 63).array(), 0, 8, 0, 0));
      }
      assertOrdered(buffer.sort(), order);
    }
  }

  /** Returns the full comparisons it took. */
  private static long assertSorts(Input input, KeyOrder order, int sharedBytes) throws IOException {
    CountingOrder counting = new CountingOrder(order, -1);
    try (SortChunks pool = new SortChunks(64 << 20, 1 << 16);
        RecordBuffer buffer = new RecordBuffer(pool, 1, counting)) {
      ByteBuffer key = ByteBuffer.allocate(sharedBytes + 4);
      for (int i = 0; i < COUNT; i++) {
        key.putInt(sharedBytes, input.keyAt.applyAsInt(i));
        assertTrue(buffer.append(key.array(), 0, key.capacity(), 0, 0));
      }
      assertOrdered(buffer.sort(), order);
      return counting.comparisons;
    }
  }

  private static void assertOrdered(SortedRecords sorted, KeyOrder order) {
    assertEquals(COUNT, sorted.endOf(0));
    int length = sorted.keyLength(0);
    byte[] previous = new byte[length];
    byte[] current = new byte[length];
    sorted.copyKeyValue(0, previous, 0);
    for (int i = 1; i < COUNT; i++) {
      sorted.copyKeyValue(i, current, 0);
      assertTrue(order.compare(previous, 0, length, current, 0, length) <= 0, "position " + i);
      byte[] swap = previous;
      previous = current;
      current = swap;
    }
  }
}
