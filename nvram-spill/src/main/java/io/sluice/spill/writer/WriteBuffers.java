package io.sluice.spill.writer;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.disk.Device;
import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * The staging memory of a writer: one buffer that is filled, and where bytes are still on their way
 * from that another one, so that the next ones are made meanwhile.
 *
 * <p>Thread contract: that of its {@link OutputWriter}, which owns and closes it when nothing is on
 * its way any more.
 */
final class WriteBuffers implements Closeable {
  private ByteBuffer filled = OffHeap.allocate(Device.UNIT_BYTES);
  private ByteBuffer other; // null until it is needed

  /** The one to be filled. */
  ByteBuffer filled() {
    return filled;
  }

  /** Goes on with the other one, from which nothing is on its way. */
  void swap() {
    ByteBuffer next = other == null ? OffHeap.allocate(Device.UNIT_BYTES) : other;
    other = filled;
    filled = next;
  }

  @Override
  public void close() {
    OffHeap.free(filled);
    if (other != null) {
      OffHeap.free(other);
    }
  }
}
