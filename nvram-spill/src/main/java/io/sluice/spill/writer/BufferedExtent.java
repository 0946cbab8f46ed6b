package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.disk.Device;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent whose window is a staging buffer, copied out in large sequential writes. It serves the
 * disk tier, and media that cannot be stored to directly. One write is under way while the next
 * buffer is filled.
 *
 * <p>Thread contract as {@link OpenExtent} says. Ownership: the staging buffers are the {@link
 * OpenExtent.Opener}'s.
 */
abstract class BufferedExtent implements OpenExtent {
  private final Extent extent;
  private final WriteBuffers staging;
  private PendingWrite pending = PendingWrite.DONE;
  private int startBytes;

  BufferedExtent(Extent extent, WriteBuffers staging) {
    this.extent = extent;
    this.staging = staging;
  }

  /** Writes all of {@code source} at an offset of the extent. */
  abstract void write(int offsetBytes, ByteBuffer source) throws IOException;

  /** Begins to write a staging buffer, which stays as it is until the write is awaited. */
  abstract PendingWrite beginWrite(int offsetBytes, ByteBuffer source) throws IOException;

  @Override
  public final Extent extent() {
    return extent;
  }

  @Override
  public final ByteBuffer window() {
    return staging.filled;
  }

  @Override
  public final int windowLimit() {
    return (int) Math.min(staging.filled.capacity(), extent.lengthBytes() - startBytes);
  }

  @Override
  public final int windowStart() {
    return startBytes;
  }

  @Override
  public final void slide(int usedBytes) throws IOException {
    settle(); // which frees the other buffer
    pending = beginWrite(startBytes, staging.filled.clear().slice(0, usedBytes));
    if (pending != PendingWrite.DONE) {
      staging.swap();
    }
    startBytes += usedBytes;
  }

  @Override
  public final void settle() throws IOException {
    PendingWrite awaited = pending;
    pending = PendingWrite.DONE; // a failure is thrown once
    awaited.await();
  }

  @Override
  public final void writeAt(int offsetBytes, ByteBuffer source) throws IOException {
    settle();
    write(offsetBytes, source);
  }

  @Override
  public void persist(int endBytes) throws IOException {
    settle();
  }

  @Override
  public void close() throws IOException {
    settle();
  }

  /** An extent of the disk tier, which the store writes. */
  static final class DiskExtent extends BufferedExtent {
    private final ExtentSource source;
    private final boolean forced;

    /** {@code forced} if the memory tier survives a loss of power, so that this one must too. */
    DiskExtent(Extent extent, WriteBuffers staging, ExtentSource source, boolean forced) {
      super(extent, staging);
      this.source = source;
      this.forced = forced;
    }

    @Override
    void write(int offsetBytes, ByteBuffer bytes) throws IOException {
      if (bytes.hasRemaining()) {
        source.write(extent(), offsetBytes, bytes);
      }
    }

    @Override
    PendingWrite beginWrite(int offsetBytes, ByteBuffer bytes) throws IOException {
      return bytes.hasRemaining()
          ? source.beginWrite(extent(), offsetBytes, bytes)
          : PendingWrite.DONE;
    }

    @Override
    public void persist(int endBytes) throws IOException {
      super.persist(endBytes);
      if (forced) {
        source.force(extent());
      }
    }
  }

  /** A mapped extent of a medium that wants every byte copied through it; owns the mapping. */
  static final class MediumExtent extends BufferedExtent {
    private final Medium medium;
    private final Mapping mapping;
    private final FaultAround pages;

    MediumExtent(Extent extent, WriteBuffers staging, Mapping mapping, Medium medium) {
      super(extent, staging);
      this.medium = medium;
      this.mapping = mapping;
      this.pages = new FaultAround(mapping.buffer());
    }

    /** Each write also makes its own bytes safe. */
    @Override
    void write(int offsetBytes, ByteBuffer source) {
      if (source.hasRemaining()) {
        pages.enterTo(offsetBytes + source.remaining());
        medium.write(mapping, offsetBytes, source);
      }
    }

    @Override
    PendingWrite beginWrite(int offsetBytes, ByteBuffer source) {
      write(offsetBytes, source);
      return PendingWrite.DONE;
    }

    @Override
    public void close() throws IOException {
      try (mapping) {
        super.close();
      }
    }
  }

  /**
   * The staging memory of a writer: one buffer that is filled, and a second one while the bytes of
   * the first are still being written. It is closed when no write is under way any more.
   */
  static final class WriteBuffers implements Closeable {
    private ByteBuffer filled = OffHeap.allocate(Device.UNIT_BYTES);
    private ByteBuffer other; // null until it is needed

    /** Goes on with the other buffer, of which no write is under way. */
    private void swap() {
      ByteBuffer next = other == null ? OffHeap.allocate(Device.UNIT_BYTES) : other;
      other = filled;
      filled = next;
    }

    @Override
    public void close() {
      OffHeap.free(filled);
      if (other != null) {
        OffHeap.free(other);
      }
    }
  }
}
