package io.sluice.node.service;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The segments that may be copied from: no segment is unmapped while a copy of it is being made.
 *
 * <p>Thread contract: safe from any thread; copies run side by side, and one that a disk holds up
 * is in the way of its own segment only. Ownership: the handles stay the store's. Failure: {@link
 * IOException} for a segment that is not there (any more), {@link IllegalStateException} if one
 * cannot be taken away because a copy does not end.
 */
final class OpenSegments {
  /** Longer than a disk needs for one slot. */
  private static final long COPY_LIMIT_MS = 30_000;

  private final Map<Integer, Open> segments = new ConcurrentHashMap<>();

  /** One of them; copies hold its lock for reading. */
  private static final class Open {
    private final SegmentHandle segment;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile boolean removed; // no copy begins any more
    private volatile boolean waitedFor; // in vain, and not again

    Open(SegmentHandle segment) {
      this.segment = segment;
    }
  }

  void add(SegmentHandle segment) {
    segments.put(segment.info().segmentId(), new Open(segment));
  }

  /** When this returns, nobody copies from it. */
  void remove(SegmentHandle segment) {
    remove(segment.info().segmentId(), COPY_LIMIT_MS);
  }

  /** When this returns, nobody copies from any; when it fails, no copy begins all the same. */
  void removeAll() {
    List<Integer> ids = List.copyOf(segments.keySet());
    segments.values().forEach(open -> open.removed = true);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(COPY_LIMIT_MS);
    Closer.all(ids.stream().map(segmentId -> () -> remove(segmentId, leftMs(deadlineNs))));
  }

  private static long leftMs(long deadlineNs) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
  }

  /** Whether one of the memory tier could not be taken away. */
  boolean isMemoryInUse() {
    return segments.values().stream()
        .anyMatch(open -> open.removed && open.segment.info().tier() == Tier.MEMORY);
  }

  private void remove(int segmentId, long limitMs) {
    Open open = segments.get(segmentId);
    if (open == null) {
      return;
    }
    open.removed = true;
    // A task that is being killed comes here when it gives back.
    if (!Uninterruptibly.tryLock(open.lock.writeLock(), open.waitedFor ? 0 : limitMs)) {
      open.waitedFor = true;
      throw new IllegalStateException(
          "copies of %s have not ended within %s ms; it must not be unmapped"
              .formatted(open.segment.info(), limitMs));
    }
    try {
      segments.remove(segmentId, open);
    } finally {
      open.lock.writeLock().unlock();
    }
  }

  /** Fills what remains of {@code destination} from the start of {@code range}. */
  void copy(Range range, ByteBuffer destination) throws IOException {
    Open open = segments.get(range.segmentId());
    if (open != null) {
      open.lock.readLock().lock(); // waits for its removal only
      try {
        if (!open.removed) {
          open.segment.copyTo(range.offsetBytes(), destination);
          return;
        }
      } finally {
        open.lock.readLock().unlock();
      }
    }
    throw new IOException("no segment " + range.segmentId() + " is open, wanted " + range);
  }
}
