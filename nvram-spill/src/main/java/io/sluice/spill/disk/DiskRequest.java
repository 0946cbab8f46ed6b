package io.sluice.spill.disk;

import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A request to read or write, in units of one system call each.
 *
 * <pre>
 *   QUEUED ──── a worker takes a unit ────► RUNNING ───► DONE
 *     │  │                                    │  └─────► FAILED
 *     │  └─ cancelled ──► CANCELLED           └ cancelled, or the device hangs: runs on, what it
 *     └─ the device hangs: FAILED               would have brought is dropped when it ends
 * </pre>
 *
 * <p>A request is <em>answered</em> once its result is known; at a device that hangs that is long
 * before the kernel returns. It is <em>over</em> when no unit of it runs, and only then may its
 * memory be used for anything else.
 *
 * <p>Thread contract: the state is the queue's, under its lock; {@link #await} is for any thread.
 * The work runs on the device's workers, and the end on the thread that noticed it, under no lock.
 * Neither may wait for memory or for another request.
 */
public final class DiskRequest {
  /** The state of a request. */
  public enum State {
    QUEUED,
    RUNNING,
    DONE,
    FAILED,
    CANCELLED
  }

  /** One system call. */
  @FunctionalInterface
  public interface Work {
    /** Executes the unit of this index, from 0. */
    void run(int unit) throws IOException;
  }

  final DiskStream stream;
  final int units;
  final boolean cached;
  private final Work work;
  private final Runnable over;
  private final CountDownLatch answered = new CountDownLatch(1);
  IoClass ioClass;
  long queuedNs;
  int begun;
  int running;
  private boolean cancelled;
  private boolean isOver;
  private volatile IOException failure;

  /**
   * Queues nothing yet.
   *
   * @param units their number, at least one; they begin in their order
   * @param over called once when the request is over: gives back its memory
   */
  public DiskRequest(IoClass ioClass, DiskStream stream, int units, Work work, Runnable over) {
    this(ioClass, stream, units, work, over, false);
  }

  /** A request of one unit through the page cache, which may not need the device at all. */
  static DiskRequest cached(IoClass ioClass, DiskStream stream, Work work, Runnable over) {
    return new DiskRequest(ioClass, stream, 1, work, over, true);
  }

  private DiskRequest(
      IoClass ioClass, DiskStream stream, int units, Work work, Runnable over, boolean cached) {
    if (units < 1) {
      throw new IllegalArgumentException(units + " units: a request has at least one");
    }
    this.ioClass = ioClass;
    this.stream = stream;
    this.units = units;
    this.cached = cached;
    this.work = work;
    this.over = over;
  }

  void run(int unit) throws IOException {
    work.run(unit);
  }

  /** Under the queue's lock. */
  State state() {
    if (running > 0) {
      return State.RUNNING;
    }
    if (!isOver) {
      return begun == 0 ? State.QUEUED : State.RUNNING;
    }
    return cancelled ? State.CANCELLED : failure != null ? State.FAILED : State.DONE;
  }

  boolean mayBegin() {
    return !isAnswered() && begun < units;
  }

  boolean isAnswered() {
    return answered.getCount() == 0;
  }

  /** The first answer counts. */
  void fail(IOException cause) {
    if (!isAnswered()) {
      failure = cause;
      answered.countDown();
    }
  }

  void cancel() {
    if (!isAnswered()) {
      cancelled = true;
      fail(new IOException("cancelled: its owner is gone"));
    }
  }

  /** Notes that no unit runs or will run; true for the first time. */
  boolean end() {
    if (isOver || running > 0 || mayBegin()) {
      return false;
    }
    isOver = true;
    return true;
  }

  /**
   * Tells its owner, and then the waiting threads unless it has failed before: all is back then.
   */
  void tellOver() {
    try {
      over.run();
    } finally {
      answered.countDown();
    }
  }

  /** Waits for an answer; true if there is one; throws the failure if it has failed. */
  boolean await(long waitNs) throws IOException, InterruptedException {
    if (!answered.await(waitNs, TimeUnit.NANOSECONDS)) {
      return false;
    }
    Optional<IOException> failed = Optional.ofNullable(failure);
    if (failed.isPresent()) {
      // Each waiting thread gets a trace of its own.
      throw new IOException(ErrorText.of(failed.get()), failed.get());
    }
    return true;
  }

  /**
   * The requests that share a turn inside a class: users take turns, so do the applications of
   * each, and the streams of each application.
   *
   * @param user its owner
   * @param application of that user
   * @param id a file of that application
   */
  public record DiskStream(String user, String application, long id) {}
}
