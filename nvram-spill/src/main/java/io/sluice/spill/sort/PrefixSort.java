package io.sluice.spill.sort;

/**
 * Sorts one partition's index entries: by radix from the first bit in which the prefixes differ
 * until a range fits {@link LeafSort}, then ties that the prefix leaves open by the prefix of the
 * next level, and those that none decides by {@link TieSort}.
 *
 * <p>Every radix pass takes away at least one of the 64 bits, so the work is bounded by the length
 * of the prefix and the recursion by a few levels, whatever the keys; ranges that are in order
 * already are only looked at.
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
   * Goes to the first level of prefixes in which keys differ, if all begin alike. To be called
   * while entries are in the order in which their records came: later, each look at a key is a
   * cache miss. Of so few that these do not matter, keys may be large, and none is looked at.
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
}
