package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.nio.ByteBuffer;

/**
 * A mapped extent of a medium that wants every byte copied through it.
 *
 * <p>Thread contract and ownership: as {@link BufferTarget} says.
 */
final class MediumTarget implements BufferTarget {
  private final Medium medium;
  private final Mapping mapping;
  private final FaultAround pages;

  MediumTarget(Medium medium, Mapping mapping) {
    this.medium = medium;
    this.mapping = mapping;
    this.pages = new FaultAround(mapping.buffer());
  }

  @Override
  public void write(int offsetBytes, ByteBuffer source) {
    if (source.hasRemaining()) {
      pages.enterTo(offsetBytes + source.remaining());
      medium.write(mapping, offsetBytes, source);
    }
  }

  @Override
  public PendingWrite beginWrite(int offsetBytes, ByteBuffer source) {
    write(offsetBytes, source);
    return PendingWrite.DONE;
  }

  @Override
  public void persist() {
    // each write has persisted its own bytes
  }

  @Override
  public void close() {
    mapping.close();
  }
}
