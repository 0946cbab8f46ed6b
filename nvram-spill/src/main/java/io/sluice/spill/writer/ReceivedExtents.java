package io.sluice.spill.writer;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Leases for the runs that a task receives and will merge: memory that no other task wants now, in
 * steps, and the disk tier for the rest. It counts its memory, since the node may want that back.
 *
 * <p>Thread contract: safe from any thread. Ownership: the source stays its owner's. Failure: that
 * of the source, with nothing leased. If no tier has room, it asks once more as for a map output,
 * for which others give back memory.
 */
public final class ReceivedExtents implements ExtentSource {
  /** Length of one request, so that a part can be granted. */
  private static final long STEP_BYTES = 4L << 20;

  private final MemorySource source;
  private final BooleanSupplier receivesNotices;
  private final boolean diskAlone;
  private final AtomicLong heldBytes = new AtomicLong();
  private volatile long keepBytes = Long.MAX_VALUE;

  /**
   * Leases from this source.
   *
   * @param receivesNotices whether the task receives the notices of its node; asked before each
   *     lease of memory, and without notices none is leased
   */
  public ReceivedExtents(MemorySource source, BooleanSupplier receivesNotices) {
    this(source, receivesNotices, false);
  }

  private ReceivedExtents(MemorySource source, BooleanSupplier receivesNotices, boolean diskAlone) {
    this.source = source;
    this.receivesNotices = receivesNotices;
    this.diskAlone = diskAlone;
  }

  /** The same from the disk tier alone. */
  public ReceivedExtents onDisk() {
    return new ReceivedExtents(source, () -> false, true);
  }

  /** Bytes of memory that it holds. */
  public long heldBytes() {
    return heldBytes.get();
  }

  /** The node wants all memory back beyond this; above it no memory is leased. */
  public void keepAtMost(long bytes) {
    keepBytes = bytes;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    List<Extent> extents = new ArrayList<>();
    try {
      long leftBytes = lengthBytes - leaseMemory(lengthBytes, extents);
      if (leftBytes > 0) {
        extents.addAll(leaseBeside(leftBytes));
      }
      return extents;
    } catch (IOException | RuntimeException | Error e) {
      releaseAfter(e, extents);
      throw e;
    }
  }

  private long leaseMemory(long lengthBytes, List<Extent> extents) throws IOException {
    long leasedBytes = 0;
    while (leasedBytes < lengthBytes
        && heldBytes.get() < keepBytes
        && receivesNotices.getAsBoolean()) {
      Optional<Extent> step =
          source.leaseMemory(MemoryUse.RECEIVE, Math.min(STEP_BYTES, lengthBytes - leasedBytes));
      if (step.isEmpty()) {
        break;
      }
      extents.add(step.get());
      heldBytes.addAndGet(step.get().lengthBytes());
      leasedBytes += step.get().lengthBytes();
    }
    return leasedBytes;
  }

  private List<Extent> leaseBeside(long lengthBytes) throws IOException {
    try {
      return source.leaseDisk(lengthBytes);
    } catch (StoreFullException e) {
      if (diskAlone) {
        throw e;
      }
      List<Extent> extents = source.lease(lengthBytes);
      heldBytes.addAndGet(memoryBytes(extents)); // which may be revoked like any other
      return extents;
    }
  }

  private void releaseAfter(Throwable failure, List<Extent> extents) {
    if (!extents.isEmpty()) {
      Closer.after(failure, () -> release(extents));
    }
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    source.release(extents);
    heldBytes.addAndGet(-memoryBytes(extents));
  }

  private static long memoryBytes(List<Extent> extents) {
    return extents.stream()
        .filter(extent -> extent.segment().tier() == Tier.MEMORY)
        .mapToLong(Extent::lengthBytes)
        .sum();
  }

  @Override
  public LeaseInfo info() {
    return source.info();
  }

  @Override
  public SegmentOpener opener() {
    return source.opener();
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) {
    throw new IllegalStateException("nothing is committed");
  }

  @Override
  public void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    source.write(extent, offsetBytes, bytes);
  }

  @Override
  public void force(Extent extent) throws IOException {
    source.force(extent);
  }

  @Override
  public void commit(OutputStamp stamp, FooterLocation trailer) {
    throw new IllegalStateException("nothing is committed");
  }
}
