package io.sluice.spill.merge;

import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.RecordFormat.VInt;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;

/**
 * Walks through the records of one run.
 *
 * <p>A record is returned after the header behind it was read, the last one after the end of the
 * input was. So a run that was cut short never passes for a shorter run.
 *
 * <p>Thread contract: single thread. Ownership: owns and closes its input, at the latest in {@link
 * #close}. Failure: {@link IOException} with run, position, actual and expected when the run is cut
 * short, goes on behind its end marker, or has invalid lengths; then only {@link #close} is left.
 */
public final class RunCursor implements Closeable {
  private static final String REMEDY = "; fetch the run again or re-run its map";

  private final RunBlock block;
  private int recordLength;
  private int headerLength;
  private int keyLength;
  private int valueLength;
  private boolean atEnd;

  /**
   * @param name of the run for messages: attempt, partition, host
   * @param blockBytes heap to parse in, the caller's budget divided by its runs; more is taken only
   *     for a record that is larger
   */
  public RunCursor(String name, RunInput input, int blockBytes) {
    block = new RunBlock(name, input, Math.max(blockBytes, RecordFormat.MAX_HEADER_BYTES));
  }

  /** Goes to the next record, which ends the validity of the last one; false at the end. */
  public boolean advance() throws IOException {
    if (atEnd) {
      return false;
    }
    block.start += recordLength;
    recordLength = 0;
    if (block.available() < RecordFormat.MAX_HEADER_BYTES) {
      block.ensure(RecordFormat.MAX_HEADER_BYTES); // less is there at the end of a run
    }
    int keySize = sizeOfLength(0);
    int key = VInt.get(block.bytes, block.start);
    int valueSize = sizeOfLength(keySize);
    int value = VInt.get(block.bytes, block.start + keySize);
    if (key < 0 || value < 0) {
      endAt(key, value);
      return false;
    }
    headerLength = keySize + valueSize;
    keyLength = key;
    valueLength = value;
    long length = (long) headerLength + key + value;
    // An end marker's length more, so that the next bytes are known before this is returned.
    if (block.available() < length + RecordFormat.END_BYTES
        && !block.ensure(length + RecordFormat.END_BYTES)) {
      throw cutShort(
          "record with key of " + key + " and value of " + value + " bytes, and a header behind it",
          length + RecordFormat.END_BYTES);
    }
    recordLength = (int) length;
    int behind = block.start + recordLength;
    if (block.bytes[behind] == RecordFormat.END_MARK
        && block.bytes[behind + 1] == RecordFormat.END_MARK) {
      requireEndAfter(recordLength + RecordFormat.END_BYTES);
    }
    return true;
  }

  private int sizeOfLength(int offset) throws IOException {
    int size = offset < block.available() ? VInt.sizeAt(block.bytes[block.start + offset]) : 1;
    if (offset + size > block.available()) {
      throw cutShort("two lengths or an end marker", offset + size);
    }
    return size;
  }

  private void endAt(int key, int value) throws IOException {
    if (key != RecordFormat.END_MARK || value != RecordFormat.END_MARK) {
      throw new IOException(
          String.format(
              "%s: lengths of key and value are %s and %s, expected two lengths or the end"
                  + " marker -1, -1: the bytes are damaged%s",
              where(), text(key), text(value), REMEDY));
    }
    requireEndAfter(RecordFormat.END_BYTES);
    atEnd = true;
  }

  private static String text(int length) {
    return length == VInt.MALFORMED ? "malformed" : Integer.toString(length);
  }

  private void requireEndAfter(int lengthBytes) throws IOException {
    if (!block.endsAfter(lengthBytes)) {
      throw new IOException(
          String.format(
              "%s: end marker %s bytes further on, but the run goes on behind it, expected"
                  + " its end: the bytes are damaged%s",
              where(), lengthBytes - RecordFormat.END_BYTES, REMEDY));
    }
  }

  private IOException cutShort(String what, long expectedBytes) {
    return new IOException(
        "%s: the run ends after %s bytes more, expected %s for %s: it was cut short%s"
            .formatted(where(), block.available(), expectedBytes, what, REMEDY));
  }

  private String where() {
    return "run " + block.name + ", position " + block.runPosition();
  }

  /** The array with key and value; another one after the next {@link #advance}. */
  public byte[] bytes() {
    return block.bytes;
  }

  /** Where the key begins in {@link #bytes}; the value follows it. */
  public int keyOffset() {
    return block.start + headerLength;
  }

  public int keyLength() {
    return keyLength;
  }

  public int valueOffset() {
    return block.start + headerLength + keyLength;
  }

  public int valueLength() {
    return valueLength;
  }

  /** Length of the current record as encoded, 0 before the first and behind the last. */
  public int encodedLength() {
    return recordLength;
  }

  /** The input's estimate of the bytes still to come. */
  public long remainingBytes() {
    return block.inputRemainingBytes();
  }

  @Override
  public void close() throws IOException {
    block.close();
  }

  /**
   * The part of a run that the cursor parses, read in bulk into a reused heap array.
   *
   * <pre>
   *   run:      ...........|=======================|..........
   *   block:            0  |  start        filled  |  bytes.length
   *                        `- runPosition
   * </pre>
   *
   * <p>It grows only if a record needs more, and then doubles as bytes arrive, so that a damaged
   * length cannot take memory that the run does not fill. It closes the input at its end, so that
   * the input's memory returns while other runs still merge.
   *
   * <p>Thread contract: single thread. Ownership: owns and closes its input.
   */
  static final class RunBlock implements Closeable {
    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    final String name;
    byte[] bytes;
    int start;
    int filled;
    private final RunInput input;
    private final byte[] probe = new byte[1];
    private long bytesRead;
    private long inputRemainingBytes;
    private boolean inputEnded;

    RunBlock(String name, RunInput input, int blockBytes) {
      this.name = name;
      this.input = input;
      this.bytes = new byte[blockBytes];
      this.inputRemainingBytes = input.remainingBytes();
    }

    /** Bytes that are there from {@link #start} on. */
    int available() {
      return filled - start;
    }

    /**
     * Tries to make that many bytes available, moving {@link #start}; false if the run ends first.
     */
    boolean ensure(long lengthBytes) throws IOException {
      while (filled - start < lengthBytes && !inputEnded) {
        if (lengthBytes > bytes.length - start || isWorthMoving()) {
          makeRoom(lengthBytes);
        }
        int count = input.read(bytes, filled, bytes.length - filled);
        filled += accept(count);
      }
      return filled - start >= lengthBytes;
    }

    /** Whether moving makes room for a whole block or chunk, which then is copied once. */
    private boolean isWorthMoving() {
      return bytes.length - filled < input.wantedBytes() && start > filled - start;
    }

    /** Whether the run ends behind the next {@code lengthBytes}, which are available. */
    boolean endsAfter(int lengthBytes) throws IOException {
      if (filled - start != lengthBytes) {
        return false;
      }
      return inputEnded || accept(input.read(probe, 0, 1)) == 0;
    }

    private int accept(int count) throws IOException {
      inputRemainingBytes = input.remainingBytes();
      if (count > 0) {
        bytesRead += count;
        return count;
      }
      if (count == 0) {
        throw new IOException(
            "run %s, position %s: read of 0 bytes, expected 1 or more, or -1"
                .formatted(name, bytesRead));
      }
      inputEnded = true;
      input.close();
      return 0;
    }

    private void makeRoom(long lengthBytes) throws IOException {
      if (start > 0) {
        System.arraycopy(bytes, start, bytes, 0, filled - start);
        filled -= start;
        start = 0;
      }
      if (filled == bytes.length) {
        if (lengthBytes > MAX_ARRAY_BYTES) {
          throw new IOException(
              String.format(
                  "run %s, position %s: record of %s bytes, expected at most %s, the longest"
                      + " array: the bytes are damaged, or the job's records too large",
                  name, runPosition(), lengthBytes, MAX_ARRAY_BYTES));
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(lengthBytes, 2L * bytes.length));
      }
    }

    /** Where {@link #start} is in the run. */
    long runPosition() {
      return bytesRead - filled + start;
    }

    /** The input's estimate of the bytes still to come. */
    long inputRemainingBytes() {
      return inputRemainingBytes;
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }
}
