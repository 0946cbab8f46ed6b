package io.sluice.spill.merge;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;

/**
 * The piece of a run that its {@link RunCursor} looks at, read in bulk into a reused heap array.
 *
 * <pre>
 *   run:      ...........|=======================|..........
 *   block:            0  |  start        filled  |  bytes.length
 *                        `- runPosition
 * </pre>
 *
 * <p>Keeps its size unless more is needed at once, and then doubles only as bytes arrive, so that a
 * damaged length cannot ask for memory the run does not have. Closes the input as soon as its end
 * is seen, so that its memory returns while other runs still merge.
 *
 * <p>Thread contract: single thread. Ownership: owns and closes its input.
 */
final class RunBlock implements Closeable {
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

  /** With room for a whole block or chunk of a run, which then need not be copied twice. */
  private boolean isWorthMoving() {
    return bytes.length - filled < input.wantedBytes() && start > filled - start;
  }

  /** Whether nothing comes behind the next {@code lengthBytes}, which are available. */
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
          "run "
              + name
              + ", position "
              + bytesRead
              + ": read of 0 bytes, expected 1 or more, or -1");
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
            "run "
                + name
                + ", position "
                + runPosition()
                + ": record of "
                + lengthBytes
                + " bytes, expected at most "
                + MAX_ARRAY_BYTES
                + ", the longest array: the bytes are damaged, or the job's records too large");
      }
      bytes = Arrays.copyOf(bytes, (int) Math.min(lengthBytes, 2L * bytes.length));
    }
  }

  /** Where {@link #start} is in the run. */
  long runPosition() {
    return bytesRead - filled + start;
  }

  /** The input's estimate of what it has still to deliver. */
  long inputRemainingBytes() {
    return inputRemainingBytes;
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
