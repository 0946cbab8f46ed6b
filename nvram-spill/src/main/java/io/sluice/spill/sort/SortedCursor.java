package io.sluice.spill.sort;

import io.sluice.spill.record.VInt;
import java.nio.ByteBuffer;

/**
 * The records of a {@link RecordBuffer}. Unlike the methods of {@link SortedRecords} that copy one
 * record, it gathers a window of them at a time, whose cache misses overlap: less than half the
 * time per short record.
 *
 * <p>Thread contract and ownership: those of a {@link RecordCursor}.
 */
public final class SortedCursor implements RecordCursor {
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

  @Override
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

  @Override
  public byte[] keyBytes() {
    return window.array();
  }

  @Override
  public int keyOffset() {
    return keyOffset;
  }

  @Override
  public int keyLength() {
    return keyLength;
  }

  @Override
  public byte[] valueBytes() {
    return window.array();
  }

  @Override
  public int valueOffset() {
    return keyOffset + keyLength;
  }

  @Override
  public int valueLength() {
    return valueLength;
  }
}
