package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NettyManagedBuffer;

/**
 * A block in {@link BlockMemory}, as most are. Failure: as there; or it is too long for a buffer.
 */
final class MemoryTarget implements BlockTarget {
  private final ByteBuf bytes;

  private MemoryTarget(ByteBuf bytes) {
    this.bytes = bytes;
  }

  static BlockTarget open(BlockRange block, long lengthBytes) throws IOException {
    if (lengthBytes > Integer.MAX_VALUE) {
      throw new IOException(
          block.blockId() + " has " + lengthBytes + " bytes, too many for one buffer");
    }
    return new MemoryTarget(BlockMemory.allocate((int) lengthBytes));
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
