package io.sluice.spill.sort;

import io.sluice.rdma.memory.OffHeap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * A fixed budget of off-heap memory in chunks of one size, from which a task's record buffers take
 * what they need: allocated when first wanted, then reused until the pool closes (Flame-MR's static
 * pool).
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever acquires a chunk releases it, once;
 * the pool's owner closes the pool when all are back, which frees the memory. Failure: an exhausted
 * pool answers null, since for a collector that is the moment to spill; a chunk that is still out
 * when the pool closes is a leak and {@link #close} says so.
 */
public final class SortChunks implements AutoCloseable {
  private final int chunkBytes;
  private final int chunkLimit;
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final Set<ByteBuffer> acquired = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean closed;

  /**
   * @param capacityBytes bound on all chunks together; a remainder of less than a chunk is unused
   * @param chunkBytes length of each chunk, a power of two from 64 bytes up
   */
  public SortChunks(long capacityBytes, int chunkBytes) {
    if (chunkBytes < 64 || Integer.bitCount(chunkBytes) != 1) {
      throw new IllegalArgumentException(
          "chunk of " + chunkBytes + " bytes, expected a power of two of at least 64");
    }
    if (capacityBytes < 2L * chunkBytes) {
      throw new IllegalArgumentException(
          "pool of "
              + capacityBytes
              + " bytes, expected at least two chunks of "
              + chunkBytes
              + " bytes: one for records, one for their index");
    }
    this.chunkBytes = chunkBytes;
    this.chunkLimit = Math.toIntExact(capacityBytes / chunkBytes);
  }

  /** Takes a chunk, cleared and big-endian, its content undefined; null if all are taken. */
  public synchronized ByteBuffer acquire() {
    if (closed) {
      throw new IllegalStateException("chunk pool is closed");
    }
    ByteBuffer chunk = free.poll();
    if (chunk == null) {
      if (acquired.size() == chunkLimit) {
        return null;
      }
      chunk = OffHeap.allocate(chunkBytes);
    }
    acquired.add(chunk);
    return chunk;
  }

  /** Gives a chunk back; the caller must not touch it or a view of it again. */
  public synchronized void release(ByteBuffer chunk) {
    if (!acquired.remove(chunk)) {
      throw new IllegalArgumentException(
          "released a chunk that this pool has not handed out, or twice: " + chunk);
    }
    if (closed) {
      OffHeap.free(chunk);
    } else {
      free.push(chunk.clear().order(ByteOrder.BIG_ENDIAN));
    }
  }

  /** Length of every chunk. */
  public int chunkBytes() {
    return chunkBytes;
  }

  /** Number of chunks that can be out at once. */
  public int chunkLimit() {
    return chunkLimit;
  }

  /** Bytes in chunks that are out now. */
  public synchronized long acquiredBytes() {
    return (long) acquired.size() * chunkBytes;
  }

  /**
   * Frees the memory.
   *
   * @throws IllegalStateException if chunks are still out; each is freed when it is released
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    free.forEach(OffHeap::free);
    free.clear();
    if (!acquired.isEmpty()) {
      throw new IllegalStateException(
          "chunk pool closed with "
              + acquired.size()
              + " chunks of "
              + chunkBytes
              + " bytes not released, expected 0: close every record buffer before its pool");
    }
  }
}
