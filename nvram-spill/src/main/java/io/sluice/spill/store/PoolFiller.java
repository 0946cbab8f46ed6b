package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the segments of a pool in a thread of its own, when {@link PoolGrowth} wants them. So
 * neither the start of a service nor a task pays for faulting in memory.
 *
 * <p>Thread contract: started once, stopped once; its thread calls {@link MemorySpace}. Ownership:
 * a segment that was made is handed to the memory space. Failure: the cause is logged if it is not
 * the same as the last time, and told to the memory space; the pool is as large as it got.
 */
final class PoolFiller {
  private static final Logger LOG = LoggerFactory.getLogger(PoolFiller.class);
  private static final long STOP_TIMEOUT_MS = 30_000;

  private final PoolSpace space;
  private final boolean shared;
  private final MemorySpace room;
  private final Thread thread;
  private volatile boolean stopped;
  private String lastFailure = "";

  /**
   * Makes the segments of a pool.
   *
   * @param shared whether segments are made without an owner
   */
  PoolFiller(PoolSpace space, boolean shared, MemorySpace room) {
    this.space = space;
    this.shared = shared;
    this.room = room;
    this.thread = DaemonThreads.create("sluice-pool-filler", this::fill);
  }

  void start() {
    thread.start();
  }

  /** Stops soon, and waits for it; {@link MemorySpace#end} must have let it go. */
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
      for (OptionalInt id = room.awaitWanted(); id.isPresent(); id = room.awaitWanted()) {
        make(id.getAsInt());
      }
    } finally {
      room.fillerDone();
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
      room.freeCreated(segmentId);
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
        room.segmentCreated(segment);
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
      room.segmentFailed(failure);
    }
  }
}
