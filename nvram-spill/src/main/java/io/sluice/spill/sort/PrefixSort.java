package io.sluice.spill.sort;

import io.sluice.spill.sort.TieSort.KeyCopy;
import java.util.Arrays;

/**
 * Sorts one partition's index entries. It sorts by radix from the first bit in which the prefixes
 * differ until a range fits {@link LeafSort}. Then it sorts ties of one prefix by the prefix of the
 * next level, and ties of all levels by {@link TieSort}.
 *
 * <p>Every radix pass takes away at least one of the 64 bits. So the work is bounded by the length
 * of the prefix, and the recursion by a few levels, whatever the keys. Ranges that are in order
 * already are only read.
 *
 * <p>Thread contract: single thread.
 */
final class PrefixSort {
  private static final int MAX_RADIX_BITS = 8;

  /** Ties up to this many records are compared at once rather than by another prefix. */
  private static final int COMPARED_TIE_MAX = 4;

  /** Records whose headers are read together, so that their cache misses overlap. */
  private static final int BATCH = 16;

  private final RecordArena arena;
  private final RecordIndex index;
  private final KeyOrder order;
  private final int prefixLevels;
  private final KeyCopy key = new KeyCopy();
  private final long[] addresses = new long[BATCH];
  private final long[] lengths = new long[BATCH];
  private final LeafSort leaf = new LeafSort();
  private final TieSort ties;
  private int firstLevel;

  PrefixSort(RecordArena arena, RecordIndex index, KeyOrder order, Runnable progress) {
    this.arena = arena;
    this.index = index;
    this.order = order;
    this.prefixLevels = order.hasPrefix() ? order.prefixLevels() : 0;
    this.ties = new TieSort(arena, index, order, progress);
  }

  /**
   * Goes to the first level of prefixes in which keys differ, if all begin alike. It is called
   * while entries are in the order of their records: later each read of a key is a cache miss. Few
   * entries have few misses, and their keys may be large: then no key is read.
   */
  void skipSharedPrefixes() {
    int size = index.size();
    while (size > LeafSort.MAX_ENTRIES
        && firstLevel + 1 < prefixLevels
        && index.isUniform(0, size)
        && !order.decides(index.word(0, RecordIndex.PREFIX))) {
      loadPrefixes(0, size, ++firstLevel);
    }
  }

  /** Sorts {@code [from, to)}. */
  void sort(int from, int to) {
    if (prefixLevels == 0) {
      ties.sort(from, to);
    } else {
      sort(from, to, firstLevel);
    }
  }

  /** Sorts a range whose prefixes are of the given level. */
  private void sort(int from, int to, int level) {
    if (to - from < 2) {
      return;
    }
    if (!index.isOrdered(from, to)) {
      long differing = index.differingBits(from, to);
      if (to - from > LeafSort.MAX_ENTRIES) {
        radixSort(from, to, level, differing);
        return;
      }
      leaf.sort(index, from, to - from, differing);
      if (!index.isOrdered(from, to)) {
        radixSort(from, to, level, differing);
        return;
      }
    }
    sortTies(from, to, level);
  }

  private void radixSort(int from, int to, int level, long differing) {
    int significant = 64 - Long.numberOfLeadingZeros(differing);
    int bits = Math.min(MAX_RADIX_BITS, significant);
    int shift = significant - bits;
    int mask = (1 << bits) - 1;
    int[] end = new int[1 << bits];
    int[] next = new int[1 << bits];
    FlagSort.count(index, from, to, RecordIndex.PREFIX, shift, mask, end);
    int start = from;
    for (int i = 0; i <= mask; i++) {
      next[i] = start;
      start += end[i];
      end[i] = start;
    }
    FlagSort.permute(index, RecordIndex.PREFIX, shift, mask, next, end);
    start = from;
    for (int i = 0; i <= mask; i++) {
      sort(start, end[i], level);
      start = end[i];
    }
  }

  /** Sorts each run of equal prefixes in {@code [from, to)}, which is in order of prefix. */
  private void sortTies(int from, int to, int level) {
    int start = from;
    long prefix = index.word(from, RecordIndex.PREFIX);
    for (int i = from + 1; i < to; i++) {
      long current = index.word(i, RecordIndex.PREFIX);
      if (current != prefix) {
        sortTie(start, i, level, prefix);
        start = i;
        prefix = current;
      }
    }
    sortTie(start, to, level, prefix);
  }

  private void sortTie(int from, int to, int level, long prefix) {
    int size = to - from;
    if (size < 2 || order.decides(prefix)) {
      return;
    }
    if (size <= COMPARED_TIE_MAX || level + 1 == prefixLevels) {
      ties.sort(from, to);
      return;
    }
    loadPrefixes(from, to, level + 1);
    sort(from, to, level + 1);
  }

  private void loadPrefixes(int from, int to, int level) {
    for (int start = from; start < to; start += BATCH) {
      int batch = Math.min(BATCH, to - start);
      for (int i = 0; i < batch; i++) {
        addresses[i] = index.address(start + i);
        lengths[i] = arena.lengths(addresses[i]);
      }
      for (int i = 0; i < batch; i++) {
        key.load(arena, addresses[i], lengths[i]);
        long prefix = order.prefix(key.bytes, 0, key.length, level);
        index.setWord(start + i, RecordIndex.PREFIX, prefix);
      }
    }
  }

  /**
   * One pass of American flag sort (McIlroy, Bostic, McIlroy: "Engineering Radix Sort", 1993):
   * moves the entries of a range in place into buckets by a field of one of their words. Used once
   * by partition, then by ever lower bits of the prefix.
   *
   * <p>Thread contract: stateless.
   */
  static final class FlagSort {
    private FlagSort() {}

    /** Counts the entries of {@code [from, to)} per value of the field. */
    static void count(
        RecordIndex index, int from, int to, int word, int shift, int mask, int[] counts) {
      for (int i = from; i < to; i++) {
        counts[(int) (index.word(i, word) >>> shift) & mask]++;
      }
    }

    /**
     * Moves every entry into its bucket.
     *
     * @param next first position of each bucket; on return the end of each
     * @param end end of each bucket
     */
    static void permute(RecordIndex index, int word, int shift, int mask, int[] next, int[] end) {
      for (int bucket = 0; bucket < next.length; bucket++) {
        while (next[bucket] < end[bucket]) {
          int position = next[bucket];
          long prefix = index.word(position, RecordIndex.PREFIX);
          long place = index.word(position, RecordIndex.PLACE);
          // Carry the displaced entry from bucket to bucket until one belongs here.
          int home = (int) ((word == RecordIndex.PREFIX ? prefix : place) >>> shift) & mask;
          while (home != bucket) {
            int target = next[home]++;
            long displacedPrefix = index.word(target, RecordIndex.PREFIX);
            long displacedPlace = index.word(target, RecordIndex.PLACE);
            index.set(target, prefix, place);
            prefix = displacedPrefix;
            place = displacedPlace;
            home = (int) ((word == RecordIndex.PREFIX ? prefix : place) >>> shift) & mask;
          }
          index.set(position, prefix, place);
          next[bucket] = position + 1;
        }
      }
    }
  }

  /**
   * Sorts a range small enough for the CPU's cache by prefix, on the heap: up to {@link
   * #MAX_ENTRIES} entries are copied in, and what moves is one long per entry, the bits in which
   * the prefixes differ above the entry's number.
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
  static final class LeafSort {
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
}
