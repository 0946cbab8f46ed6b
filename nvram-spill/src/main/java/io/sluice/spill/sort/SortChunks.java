package io.sluice.spill.sort;

import io.sluice.rdma.memory.DirectMemory;
import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * A budget of off-heap memory in chunks of one size, for a task's record buffers. A chunk is
 * allocated when it is first wanted, then reused until the pool closes (Flame-MR's static pool).
 * The process may refuse a chunk because its direct memory is short; the buffer is then full before
 * its budget. The first two chunks come from the heap in that case, so a task can always go on, if
 * slowly. Memory beyond the budget is borrowed chunk by chunk, and given back whenever the buffers
 * are empty.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that acquires a chunk releases it
 * once. The pool's owner closes the pool when all chunks are back, which frees its own memory. The
 * owner of the source takes care of borrowed chunks that were not given back. Failure: an exhausted
 * pool answers null, since a collector spills then. A chunk that is still out when the pool closes
 * is a leak, and {@link #close} says so. {@link IOException} of the source, or if the heap has no
 * room for two chunks either.
 */
public final class SortChunks implements AutoCloseable {
  /** One for records, one for their index. */
  private static final int LEAST_CHUNKS = 2;

  private final int chunkBytes;
  private final int chunkLimit;
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final Set<ByteBuffer> acquired = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ChunkMemory memory;
  private final ChunkSource source;
  private final long mostBorrowedBytes;
  private final Set<ByteBuffer> borrowed = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ArrayDeque<ByteBuffer> freeBorrowed = new ArrayDeque<>();
  private int ownChunks;
  private boolean closed;

  /** A pool that borrows nothing; see below. */
  public SortChunks(long capacityBytes, int chunkBytes) {
    this(capacityBytes, chunkBytes, ChunkMemory.DIRECT, ChunkSource.NONE, 0);
  }

  /**
   * @param capacityBytes bound on its own chunks together; a remainder of less than a chunk is
   *     unused
   * @param chunkBytes length of each chunk, a power of two from 64 bytes up
   * @param memory allocates these chunks
   * @param source lends chunks beyond them
   * @param mostBorrowedBytes bound on borrowed memory at one time
   */
  public SortChunks(
      long capacityBytes,
      int chunkBytes,
      ChunkMemory memory,
      ChunkSource source,
      long mostBorrowedBytes) {
    if (chunkBytes < 64 || Integer.bitCount(chunkBytes) != 1) {
      throw new IllegalArgumentException(
          "chunk of " + chunkBytes + " bytes, expected a power of two of at least 64");
    }
    if (capacityBytes < (long) LEAST_CHUNKS * chunkBytes) {
      throw new IllegalArgumentException(
          String.format(
              "pool of %s bytes, expected at least two chunks of %s bytes: one for records,"
                  + " one for their index",
              capacityBytes, chunkBytes));
    }
    this.chunkBytes = chunkBytes;
    this.memory = memory;
    this.source = source;
    this.mostBorrowedBytes = mostBorrowedBytes;
    this.chunkLimit = Math.toIntExact(capacityBytes / chunkBytes);
  }

  /** Takes a chunk, cleared and big-endian, its content undefined; null if all are taken. */
  public synchronized ByteBuffer acquire() throws IOException {
    if (closed) {
      throw new IllegalStateException("chunk pool is closed");
    }
    ByteBuffer chunk = free.poll();
    if (chunk == null && ownChunks < chunkLimit) {
      chunk = allocate();
    }
    if (chunk == null) {
      chunk = borrow();
    }
    if (chunk != null) {
      acquired.add(chunk);
    }
    return chunk;
  }

  private ByteBuffer allocate() throws IOException {
    ByteBuffer chunk = memory.allocate(chunkBytes);
    if (chunk == null && ownChunks < LEAST_CHUNKS) {
      chunk = allocateOnHeap();
    }
    if (chunk != null) {
      ownChunks++;
    }
    return chunk;
  }

  private ByteBuffer allocateOnHeap() throws IOException {
    try {
      return ByteBuffer.allocate(chunkBytes);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          String.format(
              "the process has no memory for the smallest sort buffer, %s bytes: neither"
                  + " direct memory (%s of %s bytes in use) nor heap; raise -Xmx or"
                  + " -XX:MaxDirectMemorySize, or run fewer tasks at a time"
                  + " (sluice.local.map-threads)",
              LEAST_CHUNKS * chunkBytes, DirectMemory.usedBytes(), DirectMemory.limitBytes()),
          e);
    }
  }

  private void discard(ByteBuffer chunk) {
    if (chunk.isDirect()) { // else it is from allocateOnHeap
      memory.free(chunk);
    }
  }

  private ByteBuffer borrow() throws IOException {
    ByteBuffer chunk = freeBorrowed.poll();
    if (chunk == null && (borrowed.size() + 1L) * chunkBytes <= mostBorrowedBytes) {
      chunk = source.allocate(chunkBytes);
      if (chunk != null) {
        borrowed.add(chunk);
      }
    }
    return chunk;
  }

  /** Gives a chunk back; the caller must not touch it or a view of it again. */
  public synchronized void release(ByteBuffer chunk) {
    if (!acquired.remove(chunk)) {
      throw new IllegalArgumentException(
          "released a chunk that this pool has not handed out, or twice: " + chunk);
    }
    if (borrowed.contains(chunk)) {
      freeBorrowed.push(chunk.clear().order(ByteOrder.BIG_ENDIAN));
    } else if (closed) {
      discard(chunk);
    } else {
      free.push(chunk.clear().order(ByteOrder.BIG_ENDIAN));
    }
  }

  /** Gives back the borrowed chunks that are not out. */
  public synchronized void giveBack() throws IOException {
    List<ByteBuffer> returned = List.copyOf(freeBorrowed);
    freeBorrowed.clear();
    returned.forEach(borrowed::remove); // by identity: as buffers they are all alike
    if (!returned.isEmpty()) {
      source.free(returned);
    }
  }

  /** Whether borrowed chunks are to be given back as soon as possible. */
  public boolean isWantedBack() {
    return source.isWantedBack();
  }

  /** Length of every chunk. */
  public int chunkBytes() {
    return chunkBytes;
  }

  /** Most chunks of its own, if the process has memory for them; two can always be out. */
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
    free.forEach(this::discard);
    free.clear();
    if (!acquired.isEmpty()) {
      throw new IllegalStateException(
          String.format(
              "chunk pool closed with %s chunks of %s bytes not released, expected 0: close"
                  + " every record buffer before its pool",
              acquired.size(), chunkBytes));
    }
  }

  /**
   * Allocates a pool's own chunks. A chunk is cleared and big-endian, its content undefined, and it
   * is freed once.
   */
  public interface ChunkMemory {
    /** Direct memory of the process, freed at once. */
    ChunkMemory DIRECT =
        new ChunkMemory() {
          @Override
          public ByteBuffer allocate(int lengthBytes) {
            return OffHeap.tryAllocate(lengthBytes);
          }

          @Override
          public void free(ByteBuffer chunk) {
            OffHeap.free(chunk);
          }
        };

    /** Gives a chunk of that length; null if the process has too little memory now. */
    ByteBuffer allocate(int lengthBytes);

    /** Takes it back. */
    void free(ByteBuffer chunk);
  }

  /**
   * Lends memory to a sort buffer beyond its own, as long as no other task wants it. The contract:
   *
   * <ul>
   *   <li>A chunk is the borrower's alone from {@link #allocate} until {@link #free}; its content
   *       is undefined at first.
   *   <li>The lender takes nothing back: {@link #isWantedBack} says that it waits.
   *   <li>One thread borrows and gives back; any thread may ask whether memory is wanted back.
   * </ul>
   */
  public interface ChunkSource {
    /** Lends nothing. */
    ChunkSource NONE =
        new ChunkSource() {
          @Override
          public ByteBuffer allocate(int lengthBytes) {
            return null;
          }

          @Override
          public void free(List<ByteBuffer> chunks) {
            if (!chunks.isEmpty()) {
              throw new IllegalArgumentException("nothing was lent");
            }
          }

          @Override
          public boolean isWantedBack() {
            return false;
          }
        };

    /**
     * Lends a chunk, cleared and big-endian, without waiting for memory.
     *
     * @return null if there is none now
     * @throws IOException if earlier chunks are no longer the borrower's either
     */
    ByteBuffer allocate(int lengthBytes) throws IOException;

    /**
     * Takes chunks back: the very buffers that were lent.
     *
     * @throws IllegalArgumentException if one was not lent, or is back already
     * @throws IOException as {@link #allocate}
     */
    void free(List<ByteBuffer> chunks) throws IOException;

    /** Whether the borrower is to give back all its chunks as soon as it can. */
    boolean isWantedBack();
  }
}
