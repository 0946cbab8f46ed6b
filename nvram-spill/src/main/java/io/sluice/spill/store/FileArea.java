package io.sluice.spill.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * A {@link MetaArea} in a file of its own.
 *
 * <p>Thread contract and failure: as {@link MetaArea} says. Ownership: closes its file.
 */
final class FileArea implements MetaArea {
  private final FileChannel file;

  FileArea(FileChannel file) {
    this.file = file;
  }

  @Override
  public void read(long offsetBytes, byte[] destination) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(destination);
    int n = 0;
    while (n >= 0 && buffer.hasRemaining()) {
      n = file.read(buffer, offsetBytes + buffer.position());
    }
    Arrays.fill(destination, buffer.position(), destination.length, (byte) 0);
  }

  @Override
  public void fill(long offsetBytes, int lengthBytes, byte value) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    Arrays.fill(bytes, value);
    write(offsetBytes, ByteBuffer.wrap(bytes));
  }

  @Override
  public void writeLong(long offsetBytes, long value) throws IOException {
    write(offsetBytes, ByteBuffer.allocate(Long.BYTES).putLong(0, value));
    file.force(false);
  }

  private void write(long offsetBytes, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      file.write(buffer, offsetBytes + buffer.position());
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
