package io.sluice.spill.store;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the missing segments of a pool in a thread of its own, so that neither the start of a
 * service nor a task pays for faulting in memory.
 *
 * <p>Thread contract: started once, stopped once; the sink is called from its thread. Ownership: a
 * segment belongs to the sink when it returns. Failure: it stops, logs why once, and keeps the
 * reason for the message of a full store; the pool is as large as it got.
 */
final class PoolFiller {
  private static final Logger LOG = LoggerFactory.getLogger(PoolFiller.class);
  private static final long STOP_TIMEOUT_MS = 30_000;

  /** Takes what the filler makes. */
  interface Sink {
    void segmentCreated(SegmentHandle segment) throws IOException;

    /** No segment follows; {@code failure} is null if none is missing. */
    void fillerDone(String failure);
  }

  private final PoolSpace space;
  private final List<Integer> missingIds;
  private final Sink sink;
  private final Thread thread;
  private volatile boolean stopped;

  PoolFiller(PoolSpace space, List<Integer> missingIds, Sink sink) {
    this.space = space;
    this.missingIds = missingIds;
    this.sink = sink;
    this.thread = new Thread(this::fill, "sluice-pool-filler");
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Stops soon, and waits for it. */
  void stop() throws IOException {
    stopped = true;
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_TIMEOUT_MS);
    boolean interrupted = false;
    while (thread.isAlive() && System.nanoTime() < deadlineNs) {
      try {
        thread.join(STOP_TIMEOUT_MS);
      } catch (InterruptedException e) {
        interrupted = true; // the pool cannot be unmapped before the thread has ended
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new IOException(
          "the pool filler did not stop within "
              + TimeUnit.MILLISECONDS.toSeconds(STOP_TIMEOUT_MS)
              + " s; the file system of the pool hangs");
    }
  }

  private void fill() {
    String failure = null;
    try {
      for (int segmentId : missingIds) {
        SegmentHandle segment = stopped ? null : space.create(segmentId, () -> stopped);
        if (segment == null) {
          break;
        }
        sink.segmentCreated(segment);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e.toString();
      LOG.warn("The pool stays smaller than configured, because a segment was not created", e);
    } finally {
      sink.fillerDone(failure);
    }
  }
}
