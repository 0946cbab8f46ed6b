package io.sluice.spill.writer;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * An extent whose window is the mapping itself: records are gathered straight to where they stay.
 * The window grows in steps, so that no page is entered into the page table that is not needed.
 *
 * <p>Thread contract and ownership: as {@link OpenExtent} says.
 */
final class DirectExtent implements OpenExtent {
  private static final int STEP_BYTES = 2 << 20;

  private final Extent extent;
  private final MappedByteBuffer mapping;
  private final Medium medium;
  private final FaultAround pages;
  private int windowLimit;
  private int persistedBytes;

  DirectExtent(Extent extent, MappedByteBuffer mapping, Medium medium) {
    this.extent = extent;
    this.mapping = mapping;
    this.medium = medium;
    this.pages = new FaultAround(mapping);
    slide(0);
  }

  @Override
  public Extent extent() {
    return extent;
  }

  @Override
  public ByteBuffer window() {
    return mapping;
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
    windowLimit = Math.min(mapping.capacity(), usedBytes + STEP_BYTES);
    mapping.clear();
    pages.enterTo(windowLimit);
  }

  @Override
  public void writeAt(int offsetBytes, ByteBuffer source) {
    mapping.clear();
    mapping.put(offsetBytes, source, source.position(), source.remaining());
  }

  @Override
  public void persist(int endBytes) {
    if (endBytes > persistedBytes) {
      mapping.clear();
      medium.persist(mapping, persistedBytes, endBytes - persistedBytes);
      persistedBytes = endBytes;
    }
  }

  @Override
  public void close() {
    OffHeap.unmap(mapping);
  }
}
