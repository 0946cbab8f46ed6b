package io.sluice.spill.store;

import io.sluice.rdma.memory.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A {@link MetaArea} in a file of its own. Where the store is in the process of the tasks it is
 * written by their threads, killed ones among them.
 *
 * <p>Thread contract and failure: as {@link MetaArea} says. Ownership: closes its file.
 */
final class FileArea implements MetaArea {
  private final SharedFile file;

  FileArea(SharedFile file) {
    this.file = file;
  }

  @Override
  public void read(long offsetBytes, byte[] destination) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(destination);
    file.read(offsetBytes, buffer);
    Arrays.fill(destination, buffer.position(), destination.length, (byte) 0);
  }

  @Override
  public void fill(long offsetBytes, int lengthBytes, byte value) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    Arrays.fill(bytes, value);
    file.write(offsetBytes, ByteBuffer.wrap(bytes));
  }

  @Override
  public void writeLong(long offsetBytes, long value) throws IOException {
    file.write(offsetBytes, ByteBuffer.allocate(Long.BYTES).putLong(0, value));
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
