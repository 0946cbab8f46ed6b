package io.sluice.spark.persist;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spark.persist.BlockPool.StoredBytes;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Writes one block into leased extents. Unlike a map output, the block gets no index and no footer,
 * because only the process that wrote it reads it.
 *
 * <p>Thread contract: one thread. Ownership: the creator closes it; without {@link #finish} that
 * frees everything. Failure: {@link StoreFullException} when the pool is full; bytes written before
 * can still be read.
 */
final class BlockWriter implements Closeable {
  private static final long LEASE_BYTES = 4L << 20;

  private final Lease lease;
  private final Medium medium;
  private final Deque<Extent> waiting = new ArrayDeque<>();
  private final List<Range> written = new ArrayList<>();
  private Extent extent;
  private Mapping mapping;
  private int position;
  private boolean finished;

  BlockWriter(Lease lease, Medium medium) {
    this.lease = lease;
    this.medium = medium;
  }

  /** Appends the remaining bytes; if the pool is full, the bytes that did not fit still remain. */
  void write(ByteBuffer bytes) throws IOException {
    int end = bytes.limit();
    while (bytes.position() < end) {
      if (extent == null || position == extent.lengthBytes()) {
        open(nextExtent());
      }
      int n = (int) Math.min(end - bytes.position(), extent.lengthBytes() - position);
      medium.write(mapping, position, bytes.limit(bytes.position() + n));
      bytes.limit(end);
      position += n;
    }
  }

  private Extent nextExtent() throws IOException {
    if (waiting.isEmpty()) {
      waiting.addAll(leaseMore());
    }
    return waiting.remove();
  }

  private List<Extent> leaseMore() throws IOException {
    try {
      return lease.lease(LEASE_BYTES);
    } catch (StoreFullException e) {
      return lease.lease(1); // one block may still be free
    }
  }

  private void open(Extent next) throws IOException {
    endExtent();
    try (SegmentFile file = lease.opener().open(next.segment(), true)) {
      mapping = medium.map(file, next.offsetBytes(), (int) next.lengthBytes());
    }
    extent = next;
    position = 0;
  }

  private void endExtent() {
    if (extent != null) {
      mapping.close();
      written.add(new Range(extent.segment().segmentId(), extent.offsetBytes(), position));
      extent = null;
    }
  }

  /** The bytes written so far; nothing can be written after this. */
  StoredBytes finish() throws IOException {
    List<Extent> surplus = new ArrayList<>(waiting);
    waiting.clear();
    if (extent != null) {
      int blockBytes = lease.info().blockBytes();
      long keptBytes = (long) (position + blockBytes - 1) / blockBytes * blockBytes;
      if (keptBytes < extent.lengthBytes()) {
        surplus.add(
            new Extent(
                extent.segment(),
                extent.offsetBytes() + keptBytes,
                extent.lengthBytes() - keptBytes));
      }
      endExtent();
    }
    if (!surplus.isEmpty()) {
      lease.release(surplus);
    }
    finished = true;
    return new StoredBytes(lease, written);
  }

  @Override
  public void close() throws IOException {
    Closer.all(this::endExtent, finished ? null : lease);
  }
}
