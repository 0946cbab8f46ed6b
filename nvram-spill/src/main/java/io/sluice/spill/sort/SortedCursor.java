package io.sluice.spill.sort;

import io.sluice.spill.record.VInt;
import java.nio.ByteBuffer;

/**
 * Walks through a range of sorted records on the heap, for combiners. It gathers a window of them
 * at a time, so that the cache misses of records that follow each other overlap.
 *
 * <p>Thread contract: the thread of the {@link RecordBuffer}. Ownership: a view, valid as long as
 * the sorted records are; nothing to close.
 */
public final class SortedCursor {
  private static final int WINDOW_BYTES = 32 << 10;

  private final SortedRecords records;
  private final int end;
  private ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
  private int gathered;
  private int keyOffset;
  private int keyLength;
  private int valueLength;
  private int nextOffset;

  /** Before position {@code from}, to end before position {@code to}. */
  public SortedCursor(SortedRecords records, int from, int to) {
    this.records = records;
    this.gathered = from;
    this.end = to;
  }

  /** Goes to the next record; false at the end. What the record before returned is then invalid. */
  public boolean next() {
    if (nextOffset == window.limit()) {
      if (gathered == end) {
        return false;
      }
      gather();
    }
    byte[] bytes = window.array();
    keyLength = VInt.get(bytes, nextOffset);
    int valueAt = nextOffset + VInt.size(keyLength);
    valueLength = VInt.get(bytes, valueAt);
    keyOffset = valueAt + VInt.size(valueLength);
    nextOffset = keyOffset + keyLength + valueLength;
    return true;
  }

  private void gather() {
    int length = records.encodedLength(gathered);
    if (length > window.capacity()) {
      window = ByteBuffer.allocate(length);
    }
    gathered = records.copyEncoded(gathered, end, window.clear());
    window.flip();
    nextOffset = 0;
  }

  /** The array with key and value; another one after the next {@link #next}. */
  public byte[] bytes() {
    return window.array();
  }

  /** Where the key begins in {@link #bytes}; the value follows it. */
  public int keyOffset() {
    return keyOffset;
  }

  public int keyLength() {
    return keyLength;
  }

  public int valueOffset() {
    return keyOffset + keyLength;
  }

  public int valueLength() {
    return valueLength;
  }
}
