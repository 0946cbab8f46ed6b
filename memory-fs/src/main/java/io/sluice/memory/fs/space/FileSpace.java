package io.sluice.memory.fs.space;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The part of a store that the files of a namespace take: memory first, then disk. One lease has
 * all of it, because files come and go by the thousand and share no block.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it, which gives back
 * what is left; the store stays its owner's and must outlive whoever reads or writes. Failure:
 * {@link StoreFullException} when no tier has room.
 */
public final class FileSpace implements Closeable {
  private static final String APPLICATION = "files";

  private final SpillStore store;
  private final Lease lease;
  private final ExtentLease extents = new Extents();

  /** Of that store. */
  public FileSpace(SpillStore store) throws IOException {
    this.store = store;
    this.lease = store.openLease(APPLICATION);
  }

  /**
   * Room for at least {@code neededBytes}, and for {@code wantedBytes} if there is so much.
   *
   * @throws StoreFullException if there is not as much as is needed; nothing is leased then
   */
  List<FileExtent> lease(long neededBytes, long wantedBytes) throws IOException {
    List<Extent> leased;
    try {
      leased = lease.lease(wantedBytes);
    } catch (StoreFullException e) {
      if (neededBytes >= wantedBytes) {
        throw e;
      }
      leased = lease.lease(neededBytes);
    }
    return leased.stream().map(this::piece).toList();
  }

  private FileExtent piece(Extent extent) {
    SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
    return extent.segment().tier() == Tier.MEMORY
        ? new MemoryExtent(extents, extent, segment.part(extent.range()).buffer())
        : new DiskExtent(extents, extent, segment);
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }

  private final class Extents implements ExtentLease {
    @Override
    public int blockBytes() {
      return lease.info().blockBytes();
    }

    @Override
    public void write(Extent extent, long offsetBytes, ByteBuffer source) throws IOException {
      lease.write(extent, offsetBytes, source);
    }

    @Override
    public void release(Extent extent) throws IOException {
      lease.release(List.of(extent));
    }
  }

  /**
   * A piece of the disk tier, read and written in its turn at the device.
   *
   * <p>Thread contract and ownership: those of {@link FileExtent}. Failure: {@link IOException} of
   * the device, within its deadline, and for who reads too late.
   */
  static final class DiskExtent extends LeasedExtent {
    private final SegmentHandle segment;

    DiskExtent(ExtentLease lease, Extent extent, SegmentHandle segment) {
      super(lease, extent);
      this.segment = segment;
    }

    @Override
    public ByteBuffer memory() {
      return null;
    }

    @Override
    public void read(int offsetBytes, ByteBuffer destination) throws IOException {
      segment.copyTo(extent().offsetBytes() + offsetBytes, destination);
    }

    @Override
    public void write(int offsetBytes, ByteBuffer source) throws IOException {
      lease().write(extent(), offsetBytes, source);
    }

    @Override
    FileExtent over(Extent part) {
      return new DiskExtent(lease(), part, segment);
    }
  }

  /**
   * A piece of the memory tier, through the store's own mapping: that is there until the store is
   * closed, so that nobody who reads too late touches memory that is not there.
   *
   * <p>Thread contract and ownership: those of {@link FileExtent}.
   */
  static final class MemoryExtent extends LeasedExtent {
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
}
