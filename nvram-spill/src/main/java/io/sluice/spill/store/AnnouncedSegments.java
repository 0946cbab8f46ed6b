package io.sluice.spill.store;

import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
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
 * <p>Thread contract: safe from any thread, never called under the lock of the store. Each segment
 * is retired by one thread; several may be retired at once. Ownership: segments that are to go are
 * its own, until they are deleted or it is closed. Failure: a segment that cannot go stands in
 * nobody's way: it is tried again {@value #RETRY_PAUSE_MS} ms later at the earliest, with the next
 * one that goes.
 */
final class AnnouncedSegments implements Closeable {
  static final long RETRY_PAUSE_MS = 10_000;
  private static final Logger LOG = LoggerFactory.getLogger(AnnouncedSegments.class);

  private final SegmentListener listener;
  private final BiConsumer<SegmentHandle, IOException> undeleted;
  private final LongSupplier nanoTime;
  private final Set<Integer> announcedIds = new HashSet<>();
  private final List<SegmentHandle> staying = new ArrayList<>();
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
  void retire(Collection<SegmentHandle> segments) {
    List<SegmentHandle> going = new ArrayList<>(takeDue());
    going.addAll(segments);
    going.forEach(this::retire);
  }

  private synchronized List<SegmentHandle> takeDue() {
    boolean due =
        !staying.isEmpty()
            && nanoTime.getAsLong() - stayingSinceNs
                >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS);
    return due ? takeStaying() : List.of();
  }

  private synchronized List<SegmentHandle> takeStaying() {
    List<SegmentHandle> taken = List.copyOf(staying);
    staying.clear();
    return taken;
  }

  /** Not under the lock: it waits for readers, and for the disk. */
  private void retire(SegmentHandle segment) {
    try {
      if (isAnnounced(segment)) {
        listener.segmentRemoved(segment);
        forget(segment);
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

  private synchronized boolean isAnnounced(SegmentHandle segment) {
    return announcedIds.contains(segment.info().segmentId());
  }

  private synchronized void forget(SegmentHandle segment) {
    announcedIds.remove(segment.info().segmentId());
  }

  private synchronized void stays(SegmentHandle segment) {
    staying.add(segment);
    stayingSinceNs = nanoTime.getAsLong();
  }

  /** Tries once more to delete what stayed, and closes it anyway. */
  @Override
  public void close() throws IOException {
    takeStaying().forEach(this::retire);
    Closing.all(takeStaying());
  }
}
