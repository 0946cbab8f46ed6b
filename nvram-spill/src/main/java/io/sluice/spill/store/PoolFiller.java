package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the segments of a pool in a thread of its own when {@link PoolGrowth} wants them, so that
 * neither the start of a service nor a task pays for faulting in memory.
 *
 * <p>Thread contract: started once, stopped once; the sink is called from its thread. Ownership: a
 * segment belongs to the sink when it returns. Failure: what keeps a segment from being made is
 * logged when it is not the same as the last time, and told to the sink; the pool is as large as it
 * got.
 */
final class PoolFiller {
  private static final Logger LOG = LoggerFactory.getLogger(PoolFiller.class);
  private static final long STOP_TIMEOUT_MS = 30_000;

  /** Says what the filler is to make, and takes it. */
  interface Sink {
    /** Returns when a segment is wanted; empty when none ever will be. */
    OptionalInt awaitWanted();

    void segmentCreated(SegmentHandle segment) throws IOException;

    /** One that is nobody's. */
    void freeCreated(int segmentId) throws IOException;

    void segmentFailed(String cause);

    /** No segment follows. */
    void fillerDone();
  }

  private final PoolSpace space;
  private final boolean shared;
  private final Sink sink;
  private final Thread thread;
  private volatile boolean stopped;
  private String lastFailure = "";

  /**
   * Fills a place.
   *
   * @param shared whether segments are nobody's when they are made
   */
  PoolFiller(PoolSpace space, boolean shared, Sink sink) {
    this.space = space;
    this.shared = shared;
    this.sink = sink;
    this.thread = DaemonThreads.create("sluice-pool-filler", this::fill);
  }

  void start() {
    thread.start();
  }

  /** Stops soon, and waits for it; the sink must let it go. */
  void stop() throws IOException {
    stopped = true;
    if (!DaemonThreads.awaitEnd(thread, STOP_TIMEOUT_MS)) {
      throw new IOException(
          "the pool filler did not stop within "
              + TimeUnit.MILLISECONDS.toSeconds(STOP_TIMEOUT_MS)
              + " s; the file system of the pool hangs");
    }
  }

  private void fill() {
    try {
      for (OptionalInt id = sink.awaitWanted(); id.isPresent(); id = sink.awaitWanted()) {
        make(id.getAsInt());
      }
    } finally {
      sink.fillerDone();
    }
  }

  /** With its message if there is memory for one. */
  private static String nameOf(Throwable e) {
    try {
      return e.toString();
    } catch (RuntimeException | Error unsayable) {
      return "an error that cannot be said";
    }
  }

  private void makeFree(int segmentId) throws IOException {
    if (space.makeFree(segmentId, () -> stopped)) {
      sink.freeCreated(segmentId);
      lastFailure = "";
    }
  }

  private void make(int segmentId) {
    try {
      if (shared) {
        makeFree(segmentId);
        return;
      }
      SegmentHandle segment = space.create(segmentId, () -> stopped);
      if (segment != null) {
        sink.segmentCreated(segment);
        lastFailure = "";
      }
    } catch (IOException | RuntimeException | Error e) {
      String failure = nameOf(e);
      if (!failure.equals(lastFailure)) {
        SafeLog.warn(
            LOG,
            "The pool stays smaller than configured, because segment {} was not created",
            segmentId,
            e);
        lastFailure = failure;
      }
      sink.segmentFailed(failure);
    }
  }
}
