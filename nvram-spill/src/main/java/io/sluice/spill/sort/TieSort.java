package io.sluice.spill.sort;

import io.sluice.spill.format.RecordFormat;

/**
 * Sorts entries whose prefixes are equal and do not decide, by full comparison of their keys.
 *
 * <p>A merge sort: at most n log2 n comparisons whatever the keys, recursion as deep as log2 n, and
 * one key copied to the heap per comparison. It takes no memory for its merges: the prefixes of the
 * range are used up, so their words hold the left half meanwhile.
 *
 * <p>Thread contract: single thread.
 */
final class TieSort {
  /** Few enough that a slow comparator of a job takes seconds for them, not minutes. */
  static final int COMPARISONS_PER_PROGRESS = 1 << 10;

  private final RecordArena arena;
  private final RecordIndex index;
  private final KeyOrder order;
  private final Runnable progress;
  private final KeyCopy left = new KeyCopy();
  private final KeyCopy right = new KeyCopy();
  private int comparisons;

  /**
   * Sorts nothing yet.
   *
   * @param progress run once for {@link #COMPARISONS_PER_PROGRESS} comparisons
   */
  TieSort(RecordArena arena, RecordIndex index, KeyOrder order, Runnable progress) {
    this.arena = arena;
    this.index = index;
    this.order = order;
    this.progress = progress;
  }

  /** Sorts {@code [from, to)}; the prefixes of the range are gone then. */
  void sort(int from, int to) {
    if (to - from < 2) {
      return;
    }
    int middle = from + to >>> 1;
    sort(from, middle);
    sort(middle, to);
    left.load(arena, index.address(middle - 1));
    right.load(arena, index.address(middle));
    if (compare() > 0) {
      merge(from, middle, to);
    }
  }

  private void merge(int from, int middle, int to) {
    for (int i = from; i < middle; i++) {
      index.setWord(i, RecordIndex.PREFIX, index.word(i, RecordIndex.PLACE));
    }
    int l = from;
    int r = middle;
    long leftPlace = loadLeft(l);
    long rightPlace = loadRight(r);
    for (int out = from; ; out++) {
      if (compare() <= 0) {
        index.setWord(out, RecordIndex.PLACE, leftPlace);
        if (++l == middle) {
          return; // the rest of the right half is where it belongs
        }
        leftPlace = loadLeft(l);
      } else {
        index.setWord(out, RecordIndex.PLACE, rightPlace);
        if (++r == to) {
          copyLeft(l, middle, out + 1);
          return;
        }
        rightPlace = loadRight(r);
      }
    }
  }

  private long loadLeft(int position) {
    long place = index.word(position, RecordIndex.PREFIX);
    left.load(arena, RecordIndex.addressIn(place));
    return place;
  }

  private long loadRight(int position) {
    long place = index.word(position, RecordIndex.PLACE);
    right.load(arena, RecordIndex.addressIn(place));
    return place;
  }

  private void copyLeft(int from, int to, int target) {
    for (int i = from; i < to; i++) {
      index.setWord(target + i - from, RecordIndex.PLACE, index.word(i, RecordIndex.PREFIX));
    }
  }

  private int compare() {
    if (++comparisons % COMPARISONS_PER_PROGRESS == 0) {
      progress.run();
    }
    return order.compare(left.bytes, 0, left.length, right.bytes, 0, right.length);
  }

  /**
   * One record's key on the heap, where comparators want it; the array is reused and grows.
   *
   * <p>Thread contract: single thread.
   */
  static final class KeyCopy {
    byte[] bytes = new byte[64];
    int length;

    /** Copies the key of the record at {@code address}. */
    void load(RecordArena arena, long address) {
      load(arena, address, arena.lengths(address));
    }

    /** Copies the key of the record at {@code address}, whose lengths are known. */
    void load(RecordArena arena, long address, long lengths) {
      length = (int) (lengths >>> 32);
      if (length > bytes.length) {
        bytes = new byte[Math.max(length, (int) Math.min(2L * bytes.length, 1 << 30))];
      }
      arena.copyOut(address + RecordFormat.headerLength(length, (int) lengths), bytes, 0, length);
    }
  }
}
