package io.sluice.spill.sort;

import io.sluice.spill.record.VInt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The values of keys that come often: a chain of blocks for each key, every block twice as long as
 * the one before, so that values of a key lie side by side and few bytes are wasted.
 *
 * <pre>
 *   block   0          4          8                        length
 *           +----------+----------+-------+-------+-----+------+
 *           | next     | used     | value | value | ... | free |
 *           +----------+----------+-------+-------+-----+------+
 *            address of bytes, with
 *            the next   these eight      both written when the chain goes on
 *
 *   value   vint lengthBytes, bytes
 *
 *   end of  63          32 31     16 15      0
 *   a chain +-------------+---------+---------+
 *           | last block  | used    | length  |    which its owner keeps
 *           +-------------+---------+---------+
 * </pre>
 *
 * <p>The end is not in the block, because a value more would then touch two of its cache lines.
 * Addresses run through the chunks as those of {@link RecordArena} do; no block straddles two of
 * them. Thread contract: single thread. Ownership: acquires chunks as it grows, gives all of them
 * back in {@link #reset}.
 */
final class ValueBlocks {
  /** No end of any chain: there was no room. */
  static final long NONE = -1;

  private static final int USED = 4;
  private static final int HEADER_BYTES = 8;
  private static final int MIN_BLOCK_BYTES = 32;
  private static final int MAX_BLOCK_BYTES = 4096;
  private static final long MAX_BYTES = 0xffff_ffffL;

  private final SortChunks pool;
  private final int shift;
  private final int mask;
  private final int maxBlockBytes;
  private ByteBuffer[] chunks = new ByteBuffer[8];
  private int chunkCount;
  private long endBytes;

  ValueBlocks(SortChunks pool) {
    this.pool = pool;
    this.shift = Integer.numberOfTrailingZeros(pool.chunkBytes());
    this.mask = pool.chunkBytes() - 1;
    this.maxBlockBytes = Math.min(MAX_BLOCK_BYTES, pool.chunkBytes());
  }

  /** Length of the longest block. */
  int maxBlockBytes() {
    return maxBlockBytes;
  }

  /** Whether a value of that length fits a block. */
  boolean takes(int lengthBytes) {
    return lengthBytes <= maxBlockBytes
        && HEADER_BYTES + VInt.size(lengthBytes) + lengthBytes <= maxBlockBytes;
  }

  /** Begins a chain with a value; the chain's end, or {@link #NONE} if there is no room. */
  long open(byte[] src, int offset, int lengthBytes) throws IOException {
    return open(MIN_BLOCK_BYTES, src, offset, lengthBytes);
  }

  /**
   * Adds a value to the chain with that end.
   *
   * @return its end then, or {@link #NONE} if there is no room
   */
  long append(long end, byte[] src, int offset, int lengthBytes) throws IOException {
    int block = block(end);
    int used = used(end);
    int length = (int) end & 0xffff;
    if (used + VInt.size(lengthBytes) + lengthBytes <= length) {
      return put(block, used, length, src, offset, lengthBytes);
    }
    long next = open(Math.min(2 * length, maxBlockBytes), src, offset, lengthBytes);
    if (next != NONE) {
      ByteBuffer chunk = chunk(block);
      int at = block & mask;
      chunk.putInt(at, block(next));
      chunk.putInt(at + USED, used);
    }
    return next;
  }

  private long open(int wantedBytes, byte[] src, int offset, int lengthBytes) throws IOException {
    int needed = HEADER_BYTES + VInt.size(lengthBytes) + lengthBytes;
    int blockBytes = Math.max(wantedBytes, Integer.highestOneBit(2 * needed - 1));
    long address = endBytes;
    if ((address & mask) + blockBytes > mask + 1) {
      address = (address | mask) + 1;
    }
    if (address + blockBytes > MAX_BYTES || !reserve(address + blockBytes)) {
      return NONE;
    }
    endBytes = address + blockBytes;
    return put((int) address, HEADER_BYTES, blockBytes, src, offset, lengthBytes);
  }

  private long put(int block, int used, int length, byte[] src, int offset, int lengthBytes) {
    ByteBuffer chunk = chunk(block);
    int at = block & mask;
    int body = VInt.put(chunk, at + used, lengthBytes);
    chunk.put(body, src, offset, lengthBytes);
    return (long) block << 32 | (long) (body - at + lengthBytes) << 16 | length;
  }

  private boolean reserve(long end) throws IOException {
    if (end <= (long) chunkCount << shift) {
      return true;
    }
    ByteBuffer chunk = pool.acquire();
    if (chunk == null) {
      return false;
    }
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
    }
    chunks[chunkCount++] = chunk;
    return true;
  }

  /** The last block of the chain with that end. */
  static int block(long end) {
    return (int) (end >>> 32);
  }

  private static int used(long end) {
    return (int) end >>> 16;
  }

  /** The block after this one in its chain, whose last it is not. */
  int next(int block) {
    return chunk(block).getInt(block & mask);
  }

  /**
   * Copies the values of a block of the chain with that end into {@code dst} from its beginning;
   * their length together.
   */
  int copyOut(int block, long end, byte[] dst) {
    ByteBuffer chunk = chunk(block);
    int at = block & mask;
    int used = block == block(end) ? used(end) : chunk.getInt(at + USED);
    chunk.get(at + HEADER_BYTES, dst, 0, used - HEADER_BYTES);
    return used - HEADER_BYTES;
  }

  private ByteBuffer chunk(int block) {
    return chunks[block >>> shift];
  }

  void reset() {
    endBytes = 0;
    while (chunkCount > 0) {
      pool.release(chunks[--chunkCount]);
      chunks[chunkCount] = null;
    }
  }
}
