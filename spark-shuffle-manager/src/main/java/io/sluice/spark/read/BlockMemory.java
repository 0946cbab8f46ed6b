package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import org.apache.spark.network.util.NettyUtils;

/**
 * Memory for fetched blocks: the direct memory that Spark's own client receives blocks into, so
 * that one bound holds for both. On the heap, every block of more than half a region would make G1
 * collect.
 *
 * <p>Ownership: the caller releases what it gets. Failure: Netty's {@code OutOfDirectMemoryError},
 * upon which Spark fetches less at a time.
 */
final class BlockMemory {
  /** What Netty keeps for the next one when it is released; it asks the system for more. */
  private static final int PART_BYTES = 1 << 20;

  private BlockMemory() {}

  /** An empty buffer with room for so much. */
  static ByteBuf allocate(int lengthBytes) {
    ByteBufAllocator memory = NettyUtils.getSharedPooledByteBufAllocator(true, false);
    if (lengthBytes <= PART_BYTES) {
      return memory.directBuffer(lengthBytes, lengthBytes);
    }
    CompositeByteBuf all = memory.compositeDirectBuffer(Integer.MAX_VALUE);
    try {
      for (int left = lengthBytes; left > 0; left -= PART_BYTES) {
        int partBytes = Math.min(left, PART_BYTES);
        all.addComponent(memory.directBuffer(partBytes, partBytes).writerIndex(partBytes));
      }
      return all;
    } catch (RuntimeException | Error e) {
      all.release();
      throw e;
    }
  }
}
