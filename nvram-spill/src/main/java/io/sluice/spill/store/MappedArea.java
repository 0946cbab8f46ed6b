package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A {@link MetaArea} that is a part of mapped memory. Unlike {@link FileArea} it has an end, which
 * its owner made large enough.
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
