package io.sluice.spill.sort;

import java.nio.ByteBuffer;

/**
 * Copies a partition's sorted records, encoded as a run has them, into one piece of memory after
 * the other; a record that is there several times, as often. It differs from {@link SortedCursor}
 * in knowing nothing of keys and values.
 *
 * <p>Thread contract: the thread of the {@link RecordBuffer}. Ownership: a view, valid as long as
 * the sorted records are; nothing to close.
 */
public final class SortedRun {
  private final SortedRecords records;
  private final int end;
  private int position;
  private int copiesLeft;

  /** Before the partition's first record. */
  public SortedRun(SortedRecords records, int partition) {
    this.records = records;
    this.position = records.firstOf(partition);
    this.end = records.endOf(partition);
    enter();
  }

  private void enter() {
    copiesLeft = position < end ? records.copies(position) : 0;
  }

  /** Whether a record is left. */
  public boolean hasNext() {
    return position < end;
  }

  /** Bytes of the next record. */
  public int nextLength() {
    return records.encodedLength(position);
  }

  /** Copies the next record into {@code dst}, which has room for it. */
  public void copyNext(byte[] dst) {
    records.copyEncoded(position, dst, 0);
    passed(1);
  }

  private void passed(int copies) {
    copiesLeft -= copies;
    if (copiesLeft == 0) {
      position++;
      enter();
    }
  }

  /** Copies as many records as fit to {@code dst}'s position, which moves behind them. */
  public void copy(ByteBuffer dst) {
    while (position < end) {
      int single = records.endOfSingles(position, end);
      if (single == position) {
        if (!copyCopies(dst)) {
          return;
        }
      } else {
        int copied = records.copyEncoded(position, single, dst);
        if (copied != position) {
          position = copied;
          enter();
        }
        if (copied != single) {
          return;
        }
      }
    }
  }

  /** Copies what is left of a record that is there several times; false if not all of it fits. */
  private boolean copyCopies(ByteBuffer dst) {
    int length = nextLength();
    int fitting = Math.min(copiesLeft, dst.remaining() / length);
    for (int i = 0; i < fitting; i++) {
      records.copyEncoded(position, dst);
    }
    boolean all = fitting == copiesLeft;
    if (fitting > 0) {
      passed(fitting);
    }
    return all;
  }
}
