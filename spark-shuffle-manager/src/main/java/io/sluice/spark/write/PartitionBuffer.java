package io.sluice.spark.write;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a partition's streams have put out and the pool has not got yet, in chunks that grow with
 * it.
 *
 * <p>Thread contract: one thread. The memory is accounted for before it is taken; when there is
 * none, the writer makes room and this goes on with small chunks.
 */
final class PartitionBuffer extends OutputStream {
  private static final int FIRST_CHUNK_BYTES = 4 << 10;
  private static final int LONGEST_CHUNK_BYTES = 64 << 10;

  /** Accounts for the memory of a chunk. */
  interface Budget {
    /** Takes memory, after making room for it if there is none. */
    void take(long lengthBytes) throws IOException;
  }

  private final Budget budget;
  private final List<ByteBuffer> full = new ArrayList<>();
  private byte[] chunk;
  private int position;
  private int nextChunkBytes = FIRST_CHUNK_BYTES;
  private long fullBytes;

  PartitionBuffer(Budget budget) {
    this.budget = budget;
  }

  @Override
  public void write(int b) throws IOException {
    if (chunk == null || position == chunk.length) {
      next();
    }
    chunk[position++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    int end = offset + lengthBytes;
    int from = offset;
    while (from < end) {
      if (chunk == null || position == chunk.length) {
        next();
      }
      int n = Math.min(end - from, chunk.length - position);
      System.arraycopy(bytes, from, chunk, position, n);
      position += n;
      from += n;
    }
  }

  private void next() throws IOException {
    int lengthBytes = nextChunkBytes;
    budget.take(lengthBytes); // may drain this very buffer
    if (chunk != null) {
      full.add(ByteBuffer.wrap(chunk, 0, position));
      fullBytes += position;
    }
    chunk = new byte[lengthBytes];
    position = 0;
    nextChunkBytes = Math.min(2 * lengthBytes, LONGEST_CHUNK_BYTES);
  }

  /** Bytes in it. */
  long lengthBytes() {
    return fullBytes + position;
  }

  /** Its bytes in their order; it is empty then, and holds nothing. */
  List<ByteBuffer> drain() {
    List<ByteBuffer> bytes = new ArrayList<>(full);
    if (position > 0) {
      bytes.add(ByteBuffer.wrap(chunk, 0, position));
    }
    full.clear();
    chunk = null;
    position = 0;
    fullBytes = 0;
    nextChunkBytes = FIRST_CHUNK_BYTES;
    return bytes;
  }
}
