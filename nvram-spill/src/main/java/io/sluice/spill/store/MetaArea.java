package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.medium.Medium;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A few bytes that a pool keeps about itself, in a file or in mapped memory. New ones are zero.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link IOException} of the file.
 */
interface MetaArea extends Closeable {
  /** Reads; what lies behind the end is zero. */
  void read(long offsetBytes, byte[] destination) throws IOException;

  /** Sets bytes, which then survive the death of the process. */
  void fill(long offsetBytes, int lengthBytes, byte value) throws IOException;

  /** Sets eight bytes at once, which then survive whatever the medium survives. */
  void writeLong(long offsetBytes, long value) throws IOException;

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

  /**
   * A {@link MetaArea} that is a part of mapped memory. Unlike {@link FileArea} it has an end,
   * which its owner made large enough.
   *
   * <p>Thread contract: as {@link MetaArea} says. Ownership: the mapping is its owner's to close.
   */
  final class MappedArea implements MetaArea {
    private final Mapping mapping;
    private final Medium medium;
    private final int startBytes;

    MappedArea(Mapping mapping, Medium medium, int startBytes) {
      this.mapping = mapping;
      this.medium = medium;
      this.startBytes = startBytes;
    }

    @Override
    public void read(long offsetBytes, byte[] destination) {
      mapping.buffer().get(at(offsetBytes), destination);
    }

    @Override
    public void fill(long offsetBytes, int lengthBytes, byte value) {
      byte[] bytes = new byte[lengthBytes];
      Arrays.fill(bytes, value);
      medium.write(mapping, at(offsetBytes), ByteBuffer.wrap(bytes));
    }

    @Override
    public void writeLong(long offsetBytes, long value) {
      mapping.buffer().putLong(at(offsetBytes), value);
      medium.persist(mapping, at(offsetBytes), Long.BYTES);
    }

    private int at(long offsetBytes) {
      return Math.toIntExact(startBytes + offsetBytes);
    }

    @Override
    public void close() {
      // the mapping is not its own
    }
  }
}
