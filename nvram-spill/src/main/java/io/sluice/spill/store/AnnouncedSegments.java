package io.sluice.spill.store;

import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listener of each segment once when it comes and once when it goes, and deletes what has
 * gone.
 *
 * <p>Thread contract: safe from any thread, never called under the lock of the store. Ownership:
 * segments that are to go are its own, until they are deleted or it is closed. Failure: a segment
 * that cannot go stands in nobody's way: it is tried again {@value #RETRY_PAUSE_MS} ms later at the
 * earliest, with the next one that goes.
 */
final class AnnouncedSegments implements Closeable {
  static final long RETRY_PAUSE_MS = 10_000;
  private static final Logger LOG = LoggerFactory.getLogger(AnnouncedSegments.class);

  private final SegmentListener listener;
  private final BiConsumer<SegmentHandle, IOException> undeleted;
  private final LongSupplier nanoTime;
  private final Set<Integer> announcedIds = new HashSet<>();
  private final Deque<SegmentHandle> staying = new ArrayDeque<>();
  private long stayingSinceNs;

  /**
   * With nothing announced.
   *
   * @param undeleted is told of files that could not be deleted
   * @param nanoTime a clock as {@link System#nanoTime} is one
   */
  AnnouncedSegments(
      SegmentListener listener,
      BiConsumer<SegmentHandle, IOException> undeleted,
      LongSupplier nanoTime) {
    this.listener = listener;
    this.undeleted = undeleted;
    this.nanoTime = nanoTime;
  }

  /** Announces those that were not announced yet. */
  synchronized void announce(Collection<SegmentHandle> segments) {
    for (SegmentHandle segment : segments) {
      if (segment != null && !announcedIds.contains(segment.info().segmentId())) {
        listener.segmentAdded(segment);
        announcedIds.add(segment.info().segmentId());
      }
    }
  }

  /** Takes leave of segments of which nothing is used any more, and deletes them. */
  synchronized void retire(Collection<SegmentHandle> segments) {
    if (!staying.isEmpty()
        && nanoTime.getAsLong() - stayingSinceNs >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS)) {
      retryStaying();
    }
    segments.forEach(this::retire);
  }

  private void retryStaying() {
    for (int left = staying.size(); left > 0; left--) {
      retire(staying.remove());
    }
  }

  private void retire(SegmentHandle segment) {
    int segmentId = segment.info().segmentId();
    try {
      if (announcedIds.contains(segmentId)) {
        listener.segmentRemoved(segment);
        announcedIds.remove(segmentId);
      }
      segment.delete();
    } catch (IOException e) {
      undeleted.accept(segment, e);
      stays(segment);
    } catch (RuntimeException e) {
      LOG.warn("{} cannot be taken away yet", segment.info(), e);
      stays(segment);
    }
  }

  private void stays(SegmentHandle segment) {
    staying.add(segment);
    stayingSinceNs = nanoTime.getAsLong();
  }

  /** Tries once more to delete what stayed, and closes it anyway. */
  @Override
  public synchronized void close() throws IOException {
    retryStaying();
    Closing.all(staying);
    staying.clear();
  }
}
