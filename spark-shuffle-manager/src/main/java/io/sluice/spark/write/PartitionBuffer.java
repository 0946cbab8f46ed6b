package io.sluice.spark.write;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a partition's streams have put out and the pool has not got yet. It grows up to the length
 * of a piece; a full piece goes to the pool at once, while it still lies in the processor's cache,
 * and its memory is used for the next.
 *
 * <p>Thread contract: one thread. The memory is accounted for before it is taken.
 */
final class PartitionBuffer extends OutputStream {
  private static final int FIRST_LENGTH_BYTES = 4 << 10;
  private static final int DISCARDED_LENGTH_BYTES = 512;

  /** Accounts for memory. */
  interface Budget {
    /** Takes memory, after making room for it if there is none. */
    void take(long lengthBytes) throws IOException;
  }

  /** Where pieces go. */
  interface Sink {
    /** The memory is used again afterwards. */
    void accept(ByteBuffer piece) throws IOException;
  }

  private final Budget budget;
  private final int pieceBytes;
  private final Sink sink;
  private byte[] bytes = {};
  private int position;
  private boolean discarding;

  /** Holds no memory yet. */
  PartitionBuffer(Budget budget, int pieceBytes, Sink sink) {
    this.budget = budget;
    this.pieceBytes = pieceBytes;
    this.sink = sink;
  }

  @Override
  public void write(int b) throws IOException {
    if (position == bytes.length) {
      makeRoom();
    }
    bytes[position++] = (byte) b;
  }

  @Override
  public void write(byte[] source, int offset, int lengthBytes) throws IOException {
    int end = offset + lengthBytes;
    int from = offset;
    while (from < end) {
      if (position == bytes.length) {
        makeRoom();
      }
      int n = Math.min(end - from, bytes.length - position);
      System.arraycopy(source, from, bytes, position, n);
      position += n;
      from += n;
    }
  }

  private void makeRoom() throws IOException {
    if (discarding) {
      position = 0;
      return;
    }
    if (bytes.length >= pieceBytes) {
      flushPiece();
      return;
    }
    int had = bytes.length;
    int takenBytes = Math.min(pieceBytes - had, Math.max(FIRST_LENGTH_BYTES, had));
    budget.take(takenBytes); // may drain this very buffer, and then that is all it holds
    bytes = Arrays.copyOf(bytes, bytes.length + takenBytes);
  }

  /** Hands on what it holds, and keeps its memory. */
  void flushPiece() throws IOException {
    if (position > 0 && !discarding) {
      sink.accept(ByteBuffer.wrap(bytes, 0, position));
      position = 0;
    }
  }

  /** Forgets what it holds and what comes from now on, for which it takes no memory. */
  void discard() {
    discarding = true;
    bytes = new byte[DISCARDED_LENGTH_BYTES];
    position = 0;
  }

  /** Hands on what it holds, and gives its memory up. */
  void drain() throws IOException {
    flushPiece();
    bytes = discarding ? bytes : new byte[0];
  }
}
