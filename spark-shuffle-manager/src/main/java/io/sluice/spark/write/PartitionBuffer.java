package io.sluice.spark.write;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Buffers the bytes of a partition's streams until they fill a chunk. A full chunk goes to the pool
 * at once, while it is still in the processor's cache. Its memory is used for the next chunk.
 *
 * <p>Thread contract: one thread. The budget accounts for the memory before it is allocated.
 */
final class PartitionBuffer extends OutputStream {
  private static final int FIRST_LENGTH_BYTES = 4 << 10;
  private static final int DISCARDED_LENGTH_BYTES = 512;

  /** Accounts for memory. */
  interface Budget {
    /** Takes memory, after freeing some if there is none. */
    void take(long lengthBytes) throws IOException;
  }

  /** Receives the chunks. */
  interface Sink {
    /** The buffer uses the memory again afterwards. */
    void accept(ByteBuffer chunk) throws IOException;
  }

  private final Budget budget;
  private final int chunkBytes;
  private final Sink sink;
  private byte[] bytes = {};
  private int position;
  private boolean discarding;

  /** Holds no memory yet. */
  PartitionBuffer(Budget budget, int chunkBytes, Sink sink) {
    this.budget = budget;
    this.chunkBytes = chunkBytes;
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
    if (bytes.length >= chunkBytes) {
      flushChunk();
      return;
    }
    int had = bytes.length;
    int takenBytes = Math.min(chunkBytes - had, Math.max(FIRST_LENGTH_BYTES, had));
    budget.take(takenBytes); // this may drain the buffer itself, which then has no memory
    bytes = Arrays.copyOf(bytes, bytes.length + takenBytes);
  }

  /** Passes its bytes on, and keeps its memory. */
  void flushChunk() throws IOException {
    if (position > 0 && !discarding) {
      sink.accept(ByteBuffer.wrap(bytes, 0, position));
      position = 0;
    }
  }

  /** Drops its bytes and all later ones, for which it takes no memory. */
  void discard() {
    discarding = true;
    bytes = new byte[DISCARDED_LENGTH_BYTES];
    position = 0;
  }

  /** Passes its bytes on, and drops its memory. */
  void drain() throws IOException {
    flushChunk();
    bytes = discarding ? bytes : new byte[0];
  }
}
