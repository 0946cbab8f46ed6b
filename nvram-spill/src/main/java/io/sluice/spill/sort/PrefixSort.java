package io.sluice.spill.sort;

/**
 * Sorts one partition's index entries: by radix from the first bit in which the prefixes differ
 * until a range fits {@link LeafSort}, then ties that the prefix leaves open by {@link TieSort}.
 *
 * <p>Every radix pass takes away at least one of the 64 bits, so the work is bounded by the length
 * of the prefix and the recursion by a few levels, whatever the keys; ranges that are in order
 * already are only looked at.
 *
 * <p>Thread contract: single thread.
 */
final class PrefixSort {
  private static final int MAX_RADIX_BITS = 8;

  private final RecordIndex index;
  private final KeyOrder order;
  private final LeafSort leaf = new LeafSort();
  private final TieSort ties;

  PrefixSort(RecordArena arena, RecordIndex index, KeyOrder order) {
    this.index = index;
    this.order = order;
    this.ties = new TieSort(arena, index, order);
  }

  /** Sorts {@code [from, to)}. */
  void sort(int from, int to) {
    if (to - from < 2) {
      return;
    }
    if (!order.hasPrefix()) {
      ties.sort(from, to, 0);
      return;
    }
    if (!index.isOrdered(from, to)) {
      long differing = index.differingBits(from, to);
      if (to - from > LeafSort.MAX_ENTRIES) {
        radixSort(from, to, differing);
        return;
      }
      leaf.sort(index, from, to - from, differing);
      if (!index.isOrdered(from, to)) {
        radixSort(from, to, differing);
        return;
      }
    }
    sortTies(from, to);
  }

  private void radixSort(int from, int to, long differing) {
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
      sort(start, end[i]);
      start = end[i];
    }
  }

  /** Sorts each run of equal prefixes in {@code [from, to)}, which is in order of prefix. */
  private void sortTies(int from, int to) {
    int start = from;
    long prefix = index.word(from, RecordIndex.PREFIX);
    for (int i = from + 1; i < to; i++) {
      long current = index.word(i, RecordIndex.PREFIX);
      if (current != prefix) {
        sortTie(start, i, prefix);
        start = i;
        prefix = current;
      }
    }
    sortTie(start, to, prefix);
  }

  private void sortTie(int from, int to, long prefix) {
    if (to - from > 1 && !order.decides(prefix)) {
      ties.sort(from, to, prefix);
    }
  }
}
