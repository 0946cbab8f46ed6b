package io.sluice.spill.writer;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The extents of one writer: those in use, in logical order, and those leased in advance.
 *
 * <p>Thread contract: that of its {@link OutputWriter}. Ownership: {@link #releaseAll} gives
 * everything back, which the writer calls unless it has committed.
 */
final class LeasedExtents {
  private static final long LONGEST_LEASE_BYTES = 32L << 20;

  private final ExtentSource source;
  private final long leaseBytes;
  private final long mappedBytes;
  private final Deque<Extent> waiting = new ArrayDeque<>();
  private final List<Extent> surplus = new ArrayList<>();
  private ExtentTable used = new ExtentTable();

  /**
   * Leases nothing yet.
   *
   * @param mappedBytes longer extents of the memory tier are split, and each part is mapped alone
   */
  LeasedExtents(ExtentSource source, long leaseBytes, long mappedBytes) {
    this.source = source;
    this.leaseBytes = leaseBytes;
    this.mappedBytes = mappedBytes;
  }

  ExtentTable used() {
    return used;
  }

  /** Leases until at least {@code lengthBytes} are waiting. */
  void reserve(long lengthBytes) throws IOException {
    long waitingBytes = waiting.stream().mapToLong(Extent::lengthBytes).sum();
    if (waitingBytes < lengthBytes) {
      lease(lengthBytes - waitingBytes);
    }
  }

  /** Takes the next extent into use. */
  Extent next() throws IOException {
    if (waiting.isEmpty()) {
      // As much again as is in use: an extent costs a mapping, which is unmapped page by page.
      long usedBytes = used.extents().stream().mapToLong(Extent::lengthBytes).sum();
      lease(Math.max(leaseBytes, Math.min(usedBytes, LONGEST_LEASE_BYTES)));
    }
    used.add(waiting.peek());
    return waiting.remove();
  }

  private void lease(long lengthBytes) throws IOException {
    int blockBytes = source.info().blockBytes();
    long mostBytes = Math.max(blockBytes, mappedBytes / blockBytes * blockBytes);
    for (Extent extent : source.lease(lengthBytes)) {
      if (extent.segment().tier() == Tier.MEMORY) {
        cut(extent, mostBytes);
      } else {
        waiting.add(extent); // is never mapped
      }
    }
  }

  private void cut(Extent extent, long mostBytes) {
    for (long atBytes = 0; atBytes < extent.lengthBytes(); atBytes += mostBytes) {
      waiting.add(
          new Extent(
              extent.segment(),
              extent.offsetBytes() + atBytes,
              Math.min(mostBytes, extent.lengthBytes() - atBytes)));
    }
  }

  /** Takes an extent of at least {@code lengthBytes} into use. */
  Extent nextContiguous(long lengthBytes) throws IOException {
    Extent extent = waiting.peek();
    if (extent != null && extent.lengthBytes() >= lengthBytes) {
      waiting.remove();
    } else {
      extent = source.leaseContiguous(lengthBytes);
    }
    used.add(extent);
    return extent;
  }

  /** Keeps only the first bytes of the last extent in use; the rest is released as unused. */
  void trimLast(long keptBytes) {
    List<Extent> kept = new ArrayList<>(used.extents());
    Extent last = kept.remove(kept.size() - 1);
    if (keptBytes > 0) {
      kept.add(new Extent(last.segment(), last.offsetBytes(), keptBytes));
    }
    if (keptBytes < last.lengthBytes()) {
      surplus.add(
          new Extent(
              last.segment(), last.offsetBytes() + keptBytes, last.lengthBytes() - keptBytes));
    }
    used = new ExtentTable(kept);
  }

  /** Gives back the unused extents, in one message. */
  void releaseUnused() throws IOException {
    List<Extent> unused = new ArrayList<>(waiting);
    unused.addAll(surplus);
    waiting.clear();
    surplus.clear();
    if (!unused.isEmpty()) {
      source.release(unused);
    }
  }

  /** Gives back everything. */
  void releaseAll() throws IOException {
    surplus.addAll(used.extents());
    used = new ExtentTable();
    releaseUnused();
  }

  /** Finds a segment that an extent in use lies in; null if there is none. */
  SegmentInfo segment(int segmentId) {
    for (Extent extent : used.extents()) {
      if (extent.segment().segmentId() == segmentId) {
        return extent.segment();
      }
    }
    return null;
  }
}
