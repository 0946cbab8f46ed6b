package io.sluice.memory.fs.space;

import io.sluice.spill.segment.Extent;
import java.nio.ByteBuffer;

/**
 * A piece of the memory tier, through the store's own mapping: that is there until the store is
 * closed, so that nobody who reads too late touches memory that is not there.
 *
 * <p>Thread contract and ownership: those of {@link FileExtent}.
 */
final class MemoryExtent extends LeasedExtent {
  private final ByteBuffer memory;

  MemoryExtent(ExtentLease lease, Extent extent, ByteBuffer memory) {
    super(lease, extent);
    this.memory = memory;
  }

  @Override
  public ByteBuffer memory() {
    return memory;
  }

  @Override
  public void read(int offsetBytes, ByteBuffer destination) {
    destination.put(memory.slice(offsetBytes, destination.remaining()));
  }

  @Override
  public void write(int offsetBytes, ByteBuffer source) {
    int lengthBytes = source.remaining();
    memory.put(offsetBytes, source, source.position(), lengthBytes);
    source.position(source.position() + lengthBytes);
  }

  @Override
  FileExtent over(Extent part) {
    return new MemoryExtent(lease(), part, memory.slice(0, (int) part.lengthBytes()));
  }
}
