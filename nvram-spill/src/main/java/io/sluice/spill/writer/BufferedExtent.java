package io.sluice.spill.writer;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent whose window is a staging buffer, copied out in large sequential writes: for the disk
 * tier, and for media that cannot be stored to directly. One write is on its way while the next one
 * is staged.
 *
 * <p>Thread contract as {@link OpenExtent} says. Ownership: the staging buffers are the {@link
 * OutputWriter}'s, the target is closed here.
 */
final class BufferedExtent implements OpenExtent {
  private final Extent extent;
  private final WriteBuffers staging;
  private final BufferTarget target;
  private PendingWrite pending = PendingWrite.DONE;
  private int startBytes;

  BufferedExtent(Extent extent, WriteBuffers staging, BufferTarget target) {
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
    return staging.filled();
  }

  @Override
  public int windowLimit() {
    return (int) Math.min(staging.filled().capacity(), extent.lengthBytes() - startBytes);
  }

  @Override
  public int windowStart() {
    return startBytes;
  }

  @Override
  public void slide(int usedBytes) throws IOException {
    settle(); // which frees the other buffer
    pending = target.beginWrite(startBytes, staging.filled().clear().slice(0, usedBytes));
    if (pending != PendingWrite.DONE) {
      staging.swap();
    }
    startBytes += usedBytes;
  }

  @Override
  public void settle() throws IOException {
    PendingWrite awaited = pending;
    pending = PendingWrite.DONE; // what has failed is told once
    awaited.await();
  }

  @Override
  public void writeAt(int offsetBytes, ByteBuffer source) throws IOException {
    settle();
    target.write(offsetBytes, source);
  }

  @Override
  public void persist(int endBytes) throws IOException {
    settle();
    target.persist();
  }

  @Override
  public void close() throws IOException {
    try (target) {
      settle();
    }
  }
}
