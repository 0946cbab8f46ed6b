package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listener of each segment once when it comes and once when it goes, and deletes what has
 * gone.
 *
 * <p>Thread contract: safe from any thread, never called under the lock of the store. The listener
 * and the disk are waited for under no lock, so that one segment holds up no other. Ownership:
 * segments that are to go are its own, until they are deleted or it is closed. Failure: a segment
 * that cannot go holds up no other. It is tried again when the next one goes, {@value
 * #RETRY_PAUSE_MS} ms later at the earliest, on a thread of its own. The thread also takes over the
 * segments behind a slow one, so a caller that frees many waits for one of them only.
 */
final class AnnouncedSegments implements Closeable {
  static final long RETRY_PAUSE_MS = 10_000;
  private static final long IDLE_MS = 10_000;

  /** After this a caller leaves the rest to the thread. */
  private static final long CALLERS_SHARE_NS = TimeUnit.SECONDS.toNanos(5);

  /** More than a segment takes to be registered, or to be let go of. */
  private static final long OTHERS_LIMIT_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(AnnouncedSegments.class);

  private final SegmentListener listener;
  private final BiConsumer<SegmentHandle, IOException> undeleted;
  private final LongSupplier nanoTime;
  private final ThreadPoolExecutor cleaner;
  private final Set<Integer> announcing = new HashSet<>();
  private final Set<Integer> announcedIds = new HashSet<>();
  private final List<DiskSegment> staying = new ArrayList<>();
  private long stayingSinceNs;
  private int going;
  private boolean closed;

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
    this.cleaner = DaemonThreads.executor("sluice-pool-cleaner", IDLE_MS);
  }

  /** Announces those that were not announced yet. */
  void announce(Collection<? extends SegmentHandle> segments) {
    for (SegmentHandle segment : segments) {
      if (segment != null && begin(segment.info().segmentId())) {
        boolean announced = false;
        try {
          listener.segmentAdded(segment);
          announced = true;
        } finally {
          end(segment.info().segmentId(), announced);
        }
      }
    }
  }

  /** Whether it is for the caller to announce it. */
  private synchronized boolean begin(int segmentId) {
    if (!await(() -> !announcing.contains(segmentId))) {
      throw new IllegalStateException("segment " + segmentId + " is still being registered");
    }
    return !announcedIds.contains(segmentId) && announcing.add(segmentId);
  }

  private synchronized void end(int segmentId, boolean announced) {
    announcing.remove(segmentId);
    if (announced) {
      announcedIds.add(segmentId);
    }
    notifyAll();
  }

  /** Withdraws segments that nobody uses any more, and deletes them. */
  void retire(List<DiskSegment> segments) {
    enter(); // before any is nobody's
    try {
      try {
        retireLater(takeDue(), 0);
      } finally {
        retireFrom(segments, 0, CALLERS_SHARE_NS);
      }
    } finally {
      leave();
    }
  }

  /** On the thread, if there are any from that one on. */
  private void retireLater(List<DiskSegment> segments, int first) {
    if (first == segments.size()) {
      return;
    }
    enter();
    Runnable retiring = null;
    try {
      retiring = () -> retireOnThread(segments, first);
      cleaner.execute(retiring);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      cleaner.remove(retiring);
      for (int i = first; i < segments.size(); i++) {
        stays(segments.get(i));
      }
      leave();
      LOG.debug("{} segments cannot be taken away now", segments.size() - first, e);
    }
  }

  private void retireOnThread(List<DiskSegment> segments, int first) {
    try {
      retireFrom(segments, first, Long.MAX_VALUE);
    } finally {
      leave();
    }
  }

  /** A failure stops none of the others. Segments for which there is no time are retired later. */
  private void retireFrom(List<DiskSegment> segments, int first, long shareNs) {
    Error failure = null;
    long beginNs = nanoTime.getAsLong();
    int next = first;
    while (next < segments.size() && nanoTime.getAsLong() - beginNs < shareNs) {
      try {
        retire(segments.get(next++));
      } catch (Error e) {
        failure = e;
      }
    }
    retireLater(segments, next);
    if (failure != null) {
      throw failure;
    }
  }

  private synchronized List<DiskSegment> takeDue() {
    boolean due =
        !staying.isEmpty()
            && nanoTime.getAsLong() - stayingSinceNs
                >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS);
    return due ? takeStaying() : List.of();
  }

  private synchronized List<DiskSegment> takeStaying() {
    List<DiskSegment> taken = List.copyOf(staying);
    staying.clear();
    return taken;
  }

  private void retire(DiskSegment segment) {
    boolean gone = false;
    try {
      withdraw(segment);
      segment.delete();
      gone = true;
    } catch (IOException e) {
      undeleted.accept(segment, e);
    } catch (RuntimeException e) {
      LOG.warn("{} cannot be taken away yet", segment.info(), e);
    } finally {
      if (!gone) {
        stays(segment);
      }
    }
  }

  /** Tells the listener that a segment goes; others take the file away. */
  void withdraw(SegmentHandle segment) {
    if (isAnnounced(segment)) {
      listener.segmentRemoved(segment);
      forget(segment);
    }
  }

  private synchronized void enter() {
    going++;
  }

  private synchronized void leave() {
    going--;
    notifyAll();
  }

  private synchronized boolean isAnnounced(SegmentHandle segment) {
    if (!await(() -> !announcing.contains(segment.info().segmentId()))) {
      throw new IllegalStateException(segment.info() + " is still being registered");
    }
    return announcedIds.contains(segment.info().segmentId());
  }

  private synchronized void forget(SegmentHandle segment) {
    announcedIds.remove(segment.info().segmentId());
  }

  private void stays(DiskSegment segment) {
    synchronized (this) {
      if (!closed) {
        staying.add(segment);
        stayingSinceNs = nanoTime.getAsLong();
        return;
      }
    }
    try {
      segment.close();
    } catch (IOException e) {
      LOG.warn("{} cannot be closed", segment.info(), e);
    }
  }

  /** Waits for what others do; false if it takes them too long. */
  private synchronized boolean await(BooleanSupplier condition) {
    return Uninterruptibly.await(this, condition, OTHERS_LIMIT_MS);
  }

  /** Tries once more to delete what stayed, and closes it anyway. */
  @Override
  public void close() throws IOException {
    cleaner.shutdown();
    if (!await(() -> going == 0)) {
      LOG.warn("Segments are still being taken away; whoever does so closes them");
    }
    enter();
    try {
      retireFrom(takeStaying(), 0, CALLERS_SHARE_NS);
    } finally {
      leave();
      synchronized (this) {
        closed = true;
      }
      Closer.all(takeStaying());
    }
  }
}
