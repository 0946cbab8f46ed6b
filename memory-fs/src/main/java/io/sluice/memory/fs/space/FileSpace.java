package io.sluice.memory.fs.space;

import io.sluice.memory.fs.space.FileExtents.FileExtent;
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
 * The room that files take from a store: memory first, then disk. One lease holds the bytes of all
 * files; no two files share a block.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes it, which frees all bytes;
 * the store must outlive all readers and writers. Failure: {@link StoreFullException} when no tier
 * has room.
 */
public final class FileSpace implements Closeable {
  private static final String APPLICATION = "files";

  private final SpillStore store;
  private final Lease lease;

  /** Opens a lease of the store. */
  public FileSpace(SpillStore store) throws IOException {
    this.store = store;
    this.lease = store.openLease(APPLICATION);
  }

  /**
   * Leases {@code wantedBytes} if the store has them, else {@code neededBytes}.
   *
   * @throws StoreFullException if the store lacks the needed bytes; nothing is leased then
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
    return leased.stream().map(this::fileExtent).toList();
  }

  private FileExtent fileExtent(Extent extent) {
    SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
    return extent.segment().tier() == Tier.MEMORY
        ? new MemoryExtent(extent, segment.part(extent.range()).buffer())
        : new DiskExtent(extent, segment);
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }

  /**
   * An extent of the disk tier, read and written through the device's I/O scheduler.
   *
   * <p>Thread contract and ownership: those of {@link FileExtent}. Failure: {@link IOException} of
   * the device, within its deadline, or of a read after the store was closed.
   */
  private final class DiskExtent extends LeasedExtent {
    private final SegmentHandle segment;

    DiskExtent(Extent extent, SegmentHandle segment) {
      super(extent);
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
      lease.write(extent(), offsetBytes, source);
    }

    @Override
    FileExtent over(Extent part) {
      return new DiskExtent(part, segment);
    }
  }

  /**
   * An extent of the memory tier, through the store's own mapping. The mapping stays until the
   * store is closed, so a late read touches no unmapped memory.
   *
   * <p>Thread contract and ownership: those of {@link FileExtent}.
   */
  private final class MemoryExtent extends LeasedExtent {
    private final ByteBuffer memory;

    MemoryExtent(Extent extent, ByteBuffer memory) {
      super(extent);
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
      return new MemoryExtent(part, memory.slice(0, (int) part.lengthBytes()));
    }
  }

  /**
   * The common part of the extents of both tiers.
   *
   * <p>Thread contract and ownership: those of {@link FileExtent}.
   */
  private abstract class LeasedExtent implements FileExtent {
    private final Extent extent;

    LeasedExtent(Extent extent) {
      this.extent = extent;
    }

    Extent extent() {
      return extent;
    }

    @Override
    public int lengthBytes() {
      return (int) extent.lengthBytes();
    }

    @Override
    public FileExtent first(int keptBytes) {
      int blockBytes = lease.info().blockBytes();
      long keptBlockBytes = ((long) keptBytes + blockBytes - 1) / blockBytes * blockBytes;
      return keptBlockBytes >= extent.lengthBytes()
          ? this
          : over(new Extent(extent.segment(), extent.offsetBytes(), keptBlockBytes));
    }

    @Override
    public void releaseBehind(FileExtent first) throws IOException {
      int keptBytes = first.lengthBytes();
      if (keptBytes < lengthBytes()) {
        lease.release(
            List.of(
                new Extent(
                    extent.segment(),
                    extent.offsetBytes() + keptBytes,
                    extent.lengthBytes() - keptBytes)));
      }
    }

    @Override
    public void release() throws IOException {
      lease.release(List.of(extent));
    }

    /** An extent of the same tier over {@code part}. */
    abstract FileExtent over(Extent part);
  }
}
