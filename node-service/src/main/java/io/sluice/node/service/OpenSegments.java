package io.sluice.node.service;

import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.SegmentHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The segments that may be copied from: no segment is unmapped while a copy of it is being made.
 *
 * <p>Thread contract: safe from any thread; copies run side by side. Ownership: the handles stay
 * the store's. Failure: {@link IOException} for a segment that is not there (any more), {@link
 * IllegalStateException} if one cannot be taken away because a copy does not end.
 */
final class OpenSegments {
  /** Longer than a disk needs for one slot. */
  private static final long COPY_LIMIT_MS = 30_000;

  private final Map<Integer, SegmentHandle> segments = new HashMap<>();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  void add(SegmentHandle segment) {
    exclusively(() -> segments.put(segment.info().segmentId(), segment));
  }

  /** When this returns, nobody copies from it. */
  void remove(SegmentHandle segment) {
    exclusively(() -> segments.remove(segment.info().segmentId()));
  }

  /** When this returns, nobody copies from any. */
  void removeAll() {
    exclusively(segments::clear);
  }

  /** Fills what remains of {@code destination} from the start of {@code range}. */
  void copy(Range range, ByteBuffer destination) throws IOException {
    lock.readLock().lock(); // waits for map operations only
    try {
      SegmentHandle segment = segments.get(range.segmentId());
      if (segment == null) {
        throw new IOException("no segment " + range.segmentId() + " is open, wanted " + range);
      }
      segment.copyTo(range.offsetBytes(), destination);
    } finally {
      lock.readLock().unlock();
    }
  }

  private void exclusively(Runnable change) {
    // A task that is being killed comes here when it commits or gives back.
    if (!Uninterruptibly.tryLock(lock.writeLock(), COPY_LIMIT_MS)) {
      throw new IllegalStateException(
          "copies of segments have not ended within "
              + COPY_LIMIT_MS
              + " ms; none may be unmapped");
    }
    try {
      change.run();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
