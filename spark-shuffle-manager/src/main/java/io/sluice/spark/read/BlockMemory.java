package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.io.IOException;
import org.apache.spark.network.util.NettyUtils;

/**
 * Memory for fetched blocks: the direct memory that Spark's own client receives blocks into, so
 * that one bound holds for both. On the heap, every block of more than half a region would make G1
 * collect.
 *
 * <p>Ownership: the caller releases what it gets. Failure: {@link OutOfDirectMemoryError} where
 * Netty keeps the bound, upon which Spark fetches less at a time; {@link IOException} where the JDK
 * does, so that the block is asked for through Spark: an error of the JDK's would end the executor.
 */
final class BlockMemory {
  /** What Netty keeps for the next one when it is released; it asks the system for more. */
  private static final int PART_BYTES = 1 << 20;

  private BlockMemory() {}

  /** An empty buffer with room for so much. */
  static ByteBuf allocate(int lengthBytes) throws IOException {
    return allocate(NettyUtils.getSharedPooledByteBufAllocator(true, false), lengthBytes);
  }

  /** The same out of other memory. */
  static ByteBuf allocate(ByteBufAllocator memory, int lengthBytes) throws IOException {
    try {
      return lengthBytes <= PART_BYTES
          ? memory.directBuffer(lengthBytes, lengthBytes)
          : inParts(memory, lengthBytes);
    } catch (OutOfDirectMemoryError e) {
      throw e;
    } catch (OutOfMemoryError e) {
      throw new IOException("no direct memory for a block of " + lengthBytes + " bytes", e);
    }
  }

  private static ByteBuf inParts(ByteBufAllocator memory, int lengthBytes) {
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
