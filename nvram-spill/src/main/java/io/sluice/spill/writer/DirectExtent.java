package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import java.nio.ByteBuffer;

/**
 * An extent whose window is the mapping itself: records are gathered straight to where they stay.
 * The window grows in steps, so that no page is entered into the page table that is not needed.
 *
 * <p>Thread contract and ownership: as {@link OpenExtent} says.
 */
final class DirectExtent implements OpenExtent {
  private static final int STEP_BYTES = 2 << 20;

  private final Extent extent;
  private final Mapping mapping;
  private final ByteBuffer memory;
  private final Medium medium;
  private final FaultAround pages;
  private int windowLimit;
  private int persistedBytes;

  DirectExtent(Extent extent, Mapping mapping, Medium medium) {
    this.extent = extent;
    this.mapping = mapping;
    this.memory = mapping.buffer();
    this.medium = medium;
    this.pages = new FaultAround(memory);
    slide(0);
  }

  @Override
  public Extent extent() {
    return extent;
  }

  @Override
  public ByteBuffer window() {
    return memory;
  }

  @Override
  public int windowLimit() {
    return windowLimit;
  }

  @Override
  public int windowStart() {
    return 0;
  }

  @Override
  public void slide(int usedBytes) {
    windowLimit = Math.min(memory.capacity(), usedBytes + STEP_BYTES);
    memory.clear();
    pages.enterTo(windowLimit);
  }

  @Override
  public void settle() {
    // it was there at once
  }

  @Override
  public void writeAt(int offsetBytes, ByteBuffer source) {
    memory.clear();
    memory.put(offsetBytes, source, source.position(), source.remaining());
  }

  @Override
  public void persist(int endBytes) {
    if (endBytes > persistedBytes) {
      memory.clear();
      medium.persist(mapping, persistedBytes, endBytes - persistedBytes);
      persistedBytes = endBytes;
    }
  }

  @Override
  public void close() {
    mapping.close();
  }
}
