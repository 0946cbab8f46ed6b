package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.io.IOException;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.util.NettyUtils;

/**
 * A fetched block in direct memory, unlike the large ones in a {@link FileTarget}. It is the memory
 * that Spark's own client receives blocks into, so that one bound holds for both. On the heap, each
 * block of more than half a region would make G1 collect garbage.
 *
 * <p>Thread contract and ownership: as {@link BlockTarget}. Failure: {@link OutOfDirectMemoryError}
 * where Netty keeps the bound; Spark then fetches less at a time. {@link IOException} where the JDK
 * keeps the bound, so that the block is fetched through Spark; an error of the JDK would end the
 * executor. {@link IOException} if the block is too long for a buffer.
 */
final class MemoryTarget implements BlockTarget {
  /** Netty keeps released buffers of up to this length for the next block. */
  private static final int PART_BYTES = 1 << 20;

  private final ByteBuf bytes;

  private MemoryTarget(ByteBuf bytes) {
    this.bytes = bytes;
  }

  /** Allocates the memory of a block. */
  static BlockTarget open(BlockRange block, long lengthBytes) throws IOException {
    if (lengthBytes > Integer.MAX_VALUE) {
      throw new IOException(
          block.blockId() + " has " + lengthBytes + " bytes, too many for one buffer");
    }
    return new MemoryTarget(allocate((int) lengthBytes));
  }

  /** An empty buffer of that capacity; the caller releases it. */
  static ByteBuf allocate(int lengthBytes) throws IOException {
    return allocate(NettyUtils.getSharedPooledByteBufAllocator(true, false), lengthBytes);
  }

  /** The same from another allocator. */
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

  @Override
  public void write(byte[] from, int lengthBytes) {
    bytes.writeBytes(from, 0, lengthBytes);
  }

  @Override
  public ManagedBuffer done() {
    return new NettyManagedBuffer(bytes);
  }

  @Override
  public void abandon() {
    bytes.release();
  }
}
