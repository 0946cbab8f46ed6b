package io.sluice.spill.writer;

import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent whose window is a staging buffer, copied out in large sequential writes: for the disk
 * tier, and for media that cannot be stored to directly.
 *
 * <p>Thread contract as {@link OpenExtent} says. Ownership: the staging buffer is the {@link
 * OutputWriter}'s, the target is closed here.
 */
final class StagedExtent implements OpenExtent {
  private final Extent extent;
  private final ByteBuffer staging;
  private final StagingTarget target;
  private int startBytes;

  StagedExtent(Extent extent, ByteBuffer staging, StagingTarget target) {
    this.extent = extent;
    this.staging = staging;
    this.target = target;
  }

  @Override
  public Extent extent() {
    return extent;
  }

  @Override
  public ByteBuffer window() {
    return staging;
  }

  @Override
  public int windowLimit() {
    return (int) Math.min(staging.capacity(), extent.lengthBytes() - startBytes);
  }

  @Override
  public int windowStart() {
    return startBytes;
  }

  @Override
  public void slide(int usedBytes) throws IOException {
    target.write(startBytes, staging.clear().slice(0, usedBytes));
    startBytes += usedBytes;
  }

  @Override
  public void writeAt(int offsetBytes, ByteBuffer source) throws IOException {
    target.write(offsetBytes, source);
  }

  @Override
  public void persist(int endBytes) throws IOException {
    target.persist();
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
