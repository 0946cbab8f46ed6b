package io.sluice.spill.sort;

import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.RecordFormat.VInt;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A sorted buffer's records in order: positions run from 0, partition after partition, keys in
 * order within each.
 *
 * <p>Thread contract: the thread of its {@link RecordBuffer}. Ownership: a view, valid until that
 * buffer's {@code reset} or {@code close}, and to be dropped then. Failure: {@link
 * IndexOutOfBoundsException} for a position or partition that does not exist, {@link
 * BufferOverflowException} where a single record does not fit.
 */
public final class SortedRecords {
  private final RecordArena arena;
  private final RecordIndex index;
  private final int[] ends;
  private final long[] encodedBytes;

  SortedRecords(RecordArena arena, RecordIndex index, int[] ends, long[] encodedBytes) {
    this.arena = arena;
    this.index = index;
    this.ends = ends;
    this.encodedBytes = encodedBytes;
  }

  public int partitionCount() {
    return ends.length;
  }

  /** Position of the partition's first record. */
  public int firstOf(int partition) {
    return partition == 0 ? 0 : ends[partition - 1];
  }

  /** Position behind the partition's last record. */
  public int endOf(int partition) {
    return ends[partition];
  }

  /** Bytes of the partition's records as a run has them, without the end marker. */
  public long encodedBytes(int partition) {
    return encodedBytes[partition];
  }

  /** Bytes of one record as a run has it. */
  public int encodedLength(int position) {
    return encodedLength(place(position));
  }

  /**
   * Copies one encoded record to {@code dst}'s position, which moves behind it.
   *
   * @throws BufferOverflowException if it does not fit; {@link #copyEncoded(int, byte[], int)}
   *     copies records that are larger than the buffer
   */
  public void copyEncoded(int position, ByteBuffer dst) {
    long place = place(position);
    int length = encodedLength(place);
    int at = dst.position();
    if (length > dst.remaining()) {
      throw new BufferOverflowException();
    }
    arena.copyOut(RecordIndex.addressIn(place), dst, at, length);
    dst.position(at + length);
  }

  /** Copies one encoded record into {@code dst} and returns the offset behind it. */
  public int copyEncoded(int position, byte[] dst, int offset) {
    long place = place(position);
    int length = encodedLength(place);
    arena.copyOut(RecordIndex.addressIn(place), dst, offset, length);
    return offset + length;
  }

  /**
   * Copies encoded records from position {@code from} on, as many as fit, to {@code dst}'s
   * position, which moves behind them.
   *
   * @return the position of the first record not copied, or {@code to}
   */
  public int copyEncoded(int from, int to, ByteBuffer dst) {
    Objects.checkFromToIndex(from, to, index.size());
    int at = dst.position();
    int limit = dst.limit();
    for (int position = from; position < to; position++) {
      long place = index.word(position, RecordIndex.PLACE);
      int length = encodedLength(place);
      if (length > limit - at) {
        dst.position(at);
        return position;
      }
      arena.copyOut(RecordIndex.addressIn(place), dst, at, length);
      at += length;
    }
    dst.position(at);
    return to;
  }

  public int keyLength(int position) {
    return (int) (arena.lengths(address(position)) >>> 32);
  }

  public int valueLength(int position) {
    return (int) arena.lengths(address(position));
  }

  /** Copies key and value, one after the other, into {@code dst}. */
  public void copyKeyValue(int position, byte[] dst, int offset) {
    long address = address(position);
    long lengths = arena.lengths(address);
    int keyLength = (int) (lengths >>> 32);
    int valueLength = (int) lengths;
    arena.copyOut(
        address + RecordFormat.headerLength(keyLength, valueLength),
        dst,
        offset,
        keyLength + valueLength);
  }

  private int encodedLength(long place) {
    int length = index.lengthIn(place);
    return length != 0 ? length : arena.encodedLength(RecordIndex.addressIn(place));
  }

  private long place(int position) {
    return index.word(Objects.checkIndex(position, index.size()), RecordIndex.PLACE);
  }

  private long address(int position) {
    return RecordIndex.addressIn(place(position));
  }

  /**
   * Walks through a range of sorted records on the heap, for combiners. It gathers many records at
   * a time, so that their cache misses overlap.
   *
   * <p>Thread contract: the thread of the {@link RecordBuffer}. Ownership: a view, valid as long as
   * the sorted records are; nothing to close.
   */
  public static final class SortedCursor {
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

    /** Goes to the next record, which ends the validity of the last one; false at the end. */
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
}
