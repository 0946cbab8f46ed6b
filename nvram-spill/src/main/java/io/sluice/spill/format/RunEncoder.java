package io.sluice.spill.format;

import java.io.IOException;

/**
 * Encodes records one by one into the bytes of a run, for a merge or a combiner.
 *
 * <p>Records are gathered in a heap block and handed on in large pieces. Thread contract: single
 * thread. Ownership: the sink stays its owner's. Failure: an exception of the sink.
 */
public final class RunEncoder {
  private static final int BLOCK_BYTES = 64 << 10;

  private final Sink sink;
  private final byte[] block = new byte[BLOCK_BYTES];
  private int filled;
  private long rawLengthBytes;
  private long records;

  /** Takes the bytes of a run in order. */
  @FunctionalInterface
  public interface Sink {
    /** Takes the next bytes; the array is reused afterwards. */
    void write(byte[] bytes, int offset, int length) throws IOException;
  }

  /** Starts a run. */
  public RunEncoder(Sink sink) {
    this.sink = sink;
  }

  /** Appends a record. */
  public void append(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    if (RecordFormat.MAX_HEADER_BYTES > block.length - filled) {
      flush();
    }
    int headerStart = filled;
    filled = RecordFormat.putHeader(block, filled, keyLength, valueLength);
    rawLengthBytes += filled - headerStart;
    put(key, keyOffset, keyLength);
    put(value, valueOffset, valueLength);
    records++;
  }

  /** Appends bytes of records that are encoded already. */
  public void appendEncoded(byte[] encoded, int offset, int length, long recordCount)
      throws IOException {
    put(encoded, offset, length);
    records += recordCount;
  }

  private void put(byte[] bytes, int offset, int length) throws IOException {
    rawLengthBytes += length;
    if (length > block.length - filled) {
      flush();
      if (length > block.length) {
        sink.write(bytes, offset, length);
        return;
      }
    }
    System.arraycopy(bytes, offset, block, filled, length);
    filled += length;
  }

  /** Appends the end marker and passes the rest to the sink. */
  public void finish() throws IOException {
    if (RecordFormat.END_BYTES > block.length - filled) {
      flush();
    }
    filled = RecordFormat.putEnd(block, filled);
    rawLengthBytes += RecordFormat.END_BYTES;
    flush();
  }

  private void flush() throws IOException {
    if (filled > 0) {
      sink.write(block, 0, filled);
      filled = 0;
    }
  }

  /** Bytes appended so far, with the end marker once it is there. */
  public long rawLengthBytes() {
    return rawLengthBytes;
  }

  /** Records appended so far. */
  public long records() {
    return records;
  }
}
