package io.sluice.spill.sort;

import java.util.Arrays;

/**
 * Sorts a range small enough for the CPU's cache by prefix, on the heap: up to {@link #MAX_ENTRIES}
 * entries are copied in, and what moves is one long per entry, the bits in which the prefixes
 * differ above the entry's number.
 *
 * <pre>
 *   63 62                                   13 12              0
 *   +-+---------------------------------------+----------------+
 *   |0| prefix from its first differing bit   | entry's number |
 *   +-+---------------------------------------+----------------+
 * </pre>
 *
 * <p>One counting pass over the leading bits leaves buckets of a few entries, which an insertion
 * sort finishes; larger buckets go to the JDK's sort of longs, which no input makes quadratic.
 *
 * <p>Thread contract: single thread. Ownership: four heap arrays, 384 KiB, for one sort of a
 * buffer.
 */
final class LeafSort {
  private static final int NUMBER_BITS = 13;
  static final int MAX_ENTRIES = 1 << NUMBER_BITS;

  private static final int NUMBER_MASK = MAX_ENTRIES - 1;
  private static final int MAX_RADIX_BITS = NUMBER_BITS - 2;
  private static final int INSERTION_MAX = 24;

  private final long[] entries = new long[2 * MAX_ENTRIES];
  private final long[] sorted = new long[2 * MAX_ENTRIES];
  private final long[] keys = new long[MAX_ENTRIES];
  private final long[] scattered = new long[MAX_ENTRIES];
  private final int[] counts = new int[1 << MAX_RADIX_BITS];

  /**
   * Sorts the range by the 50 bits from the first in which its prefixes differ; {@link
   * RecordIndex#isOrdered} tells whether that sufficed.
   *
   * @param differing bits in which the prefixes of the range differ, not 0
   */
  void sort(RecordIndex index, int from, int count, long differing) {
    index.copyOut(from, count, entries);
    int common = Long.numberOfLeadingZeros(differing);
    for (int i = 0; i < count; i++) {
      keys[i] = entries[2 * i] << common >>> 1 & ~NUMBER_MASK | i;
    }
    long[] result = keys;
    if (count <= INSERTION_MAX) {
      insertionSort(keys, count);
    } else {
      scatter(count);
      result = scattered;
    }
    for (int i = 0; i < count; i++) {
      int from2 = 2 * (int) (result[i] & NUMBER_MASK);
      sorted[2 * i] = entries[from2];
      sorted[2 * i + 1] = entries[from2 + 1];
    }
    index.copyIn(from, count, sorted);
  }

  private void scatter(int count) {
    int radixBits = Math.min(MAX_RADIX_BITS, 30 - Integer.numberOfLeadingZeros(count));
    int shift = 63 - radixBits;
    int radix = 1 << radixBits;
    Arrays.fill(counts, 0, radix, 0);
    for (int i = 0; i < count; i++) {
      counts[(int) (keys[i] >>> shift)]++;
    }
    int start = 0;
    int largest = 0;
    for (int i = 0; i < radix; i++) {
      int size = counts[i];
      largest = Math.max(largest, size);
      counts[i] = start;
      start += size;
    }
    for (int i = 0; i < count; i++) {
      scattered[counts[(int) (keys[i] >>> shift)]++] = keys[i];
    }
    if (largest > INSERTION_MAX) {
      sortLargeBuckets(radix);
    }
    insertionSort(scattered, count);
  }

  private void sortLargeBuckets(int radix) {
    int start = 0;
    for (int i = 0; i < radix; i++) {
      int end = counts[i];
      if (end - start > INSERTION_MAX) {
        Arrays.sort(scattered, start, end);
      }
      start = end;
    }
  }

  private static void insertionSort(long[] a, int count) {
    for (int i = 1; i < count; i++) {
      long moving = a[i];
      int j = i - 1;
      while (j >= 0 && a[j] > moving) {
        a[j + 1] = a[j];
        j--;
      }
      a[j + 1] = moving;
    }
  }
}
