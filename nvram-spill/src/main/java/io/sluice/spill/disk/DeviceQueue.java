package io.sluice.spill.disk;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a process reads from and writes to one block device, in one order ({@link IoScheduler}):
 * some workers take the next unit each, one that the device does and one behind it.
 *
 * <p>A unit that the kernel does not answer for the timeout makes the device one that hangs: what
 * is queued fails, who waits for what runs is told so, and nothing is taken before the kernel has
 * answered. It is the running unit's time that counts, and not the time in the queue: a slow device
 * is not a dead one. Other devices have other queues, workers and buffers.
 *
 * <p>Thread contract: safe from any thread. The lock is a leaf: nobody is called under it, and no
 * worker holds it while the device works. What is queued waits for the device only, never for
 * memory, for a lock of its owner's or for another request, so the queue always moves or hangs.
 * Ownership: its {@link Device} closes it; the units that run then end by themselves. Failure: of
 * the work, or that the device hangs or was closed. An error of a worker itself, of memory most
 * likely, leaves nobody waiting: what is queued fails with it, and the worker begins anew.
 */
public final class DeviceQueue implements Closeable {
  /** So many units of better classes go before one of a worse class. */
  static final int FAVOUR = 8;

  private static final Logger LOG = LoggerFactory.getLogger(DeviceQueue.class);
  private static final long REVIEW_MS = 100;

  /** So many units are at the device at a time. */
  static final int DEPTH = 2;

  private final String name;
  private final long timeoutNs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Supplier<IoScheduler> schedules;
  private final List<Worker> workers = new ArrayList<>();
  private final IOException unqueued; // made when there is memory for it
  private IoScheduler schedule;
  private Throwable damage; // null: the schedule is as it should be
  private boolean closed;

  /**
   * Of one device; its workers start.
   *
   * @param name for people: messages and names of threads
   * @param timeoutMs how long a unit may take
   */
  public DeviceQueue(String name, long timeoutMs) {
    this(name, timeoutMs, () -> new IoScheduler(FAVOUR, System.nanoTime()));
  }

  /** The same with schedules of one's own, each without requests; a test has one that fails. */
  DeviceQueue(String name, long timeoutMs, Supplier<IoScheduler> schedules) {
    this.name = name;
    this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.schedules = schedules;
    this.schedule = schedules.get();
    this.unqueued = new IOException(name + " could not queue a request: out of memory");
    for (int i = 0; i < DEPTH; i++) {
      workers.add(new Worker(i));
    }
    workers.forEach(worker -> worker.thread.start()); // now that each may look at all of them
  }

  /** Queues a request; where that is in vain it fails at once, and is over. */
  public void submit(DiskRequest request) {
    boolean over = false;
    lock.lock();
    try {
      if (closed) {
        over = schedule.fail(request, new IOException(name + " was closed"));
      } else if (hangs(System.nanoTime())) {
        over = schedule.fail(request, doesNotAnswer());
      } else {
        try {
          schedule.add(request, System.nanoTime());
        } catch (RuntimeException | Error e) { // who waits for it, and its memory, need an end
          SafeLog.error(LOG, "{}: a request could not be queued", name, e);
          over = schedule.fail(request, unqueued);
        }
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (over) {
      request.tellOver();
    }
  }

  /**
   * Waits until it is known what became of a request, and throws what it failed with. An interrupt
   * does not end the wait, and stays set: the device is for others too.
   */
  public void await(DiskRequest request) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (request.await(Math.max(1, timeoutNs / 10))) {
            return;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
        review();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Submits and awaits. */
  public void run(DiskRequest request) throws IOException {
    submit(request);
    await(request);
  }

  /** Somebody waits now for what was begun or queued ahead. */
  public void promote(DiskRequest request, IoClass better) {
    lock.lock();
    try {
      schedule.promote(request, better);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Gives it up, because its owner is gone; what of it runs ends later. */
  public void cancel(DiskRequest request) {
    boolean over;
    lock.lock();
    try {
      over = schedule.cancel(request);
    } finally {
      lock.unlock();
    }
    if (over) {
      request.tellOver();
    }
  }

  /** Where a request is. */
  public DiskRequest.State state(DiskRequest request) {
    lock.lock();
    try {
      return request.state();
    } finally {
      lock.unlock();
    }
  }

  /** Looks whether the device hangs, and tells everybody who waits for it. */
  public boolean review() {
    lock.lock();
    boolean hangs;
    List<DiskRequest> over = new ArrayList<>();
    try {
      hangs = hangs(System.nanoTime());
      if (hangs) {
        failAll(doesNotAnswer(), over);
      }
    } finally {
      lock.unlock();
    }
    over.forEach(DiskRequest::tellOver);
    return hangs;
  }

  private void failAll(IOException cause, List<DiskRequest> over) {
    for (DiskRequest request : schedule.open()) {
      if (schedule.fail(request, cause)) {
        over.add(request);
      }
    }
  }

  private boolean hangs(long nowNs) {
    return workers.stream().anyMatch(worker -> worker.takesTooLong(nowNs));
  }

  private IOException doesNotAnswer() {
    return new DeviceHangsException(
        "%s has not answered for %s ms".formatted(name, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
  }

  /** Fails what is queued; the workers end with what they do. */
  @Override
  public void close() {
    List<DiskRequest> over = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      failAll(new IOException(name + " was closed"), over);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    over.forEach(DiskRequest::tellOver);
  }

  /** After {@link #close}: waits for what runs, as long as the device does not hang. */
  void awaitEnd() {
    long deadlineNs = System.nanoTime() + timeoutNs;
    boolean interrupted = false;
    for (Worker worker : workers) {
      while (worker.thread.isAlive() && !review() && System.nanoTime() - deadlineNs < 0) {
        try {
          worker.thread.join(REVIEW_MS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Nobody knows what a schedule remembers in which a worker failed: fails all, begins a new one.
   */
  private void repair() {
    List<DiskRequest> over = new ArrayList<>();
    lock.lock();
    try {
      if (damage == null) {
        return;
      }
      failAll(new IOException(name + ": its queue has failed: " + damage, damage), over);
      schedule = schedules.get();
      damage = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    over.forEach(this::tell);
  }

  /** What its owner fails with is no reason to leave the device to nobody. */
  private void tell(DiskRequest over) {
    try {
      over.tellOver();
    } catch (RuntimeException | Error e) {
      SafeLog.error(LOG, "{}: whoever was told that a request is over failed", name, e);
    }
  }

  /** Takes units and does them, one after the other. */
  private final class Worker implements Runnable {
    private final Thread thread;
    private boolean works; // under the lock
    private IoScheduler from; // whose unit it does
    private long sinceNs;

    Worker(int index) {
      thread = DaemonThreads.create("sluice-device " + name + " " + index, this);
    }

    boolean takesTooLong(long nowNs) {
      return works && nowNs - sinceNs > timeoutNs;
    }

    @Override
    public void run() {
      boolean ended = false;
      while (!ended) {
        try {
          repair();
          for (Optional<IoScheduler.Turn> turn = take(); turn.isPresent(); turn = take()) {
            finish(turn.get(), work(turn.get()));
          }
          ended = true;
        } catch (RuntimeException | Error e) {
          failed(e);
          SafeLog.error(LOG, "{}: its queue begins anew", name, e);
        }
      }
    }

    private void failed(Throwable cause) {
      lock.lock();
      try {
        works = false;
        damage = cause;
      } finally {
        lock.unlock();
      }
    }

    private Optional<IOException> work(IoScheduler.Turn turn) {
      try {
        turn.request().run(turn.unit());
        return Optional.empty();
      } catch (IOException e) {
        return Optional.of(e);
      } catch (RuntimeException | Error e) {
        return Optional.of(new IOException(name + ": a unit failed: " + e, e));
      }
    }

    /** Waits for a unit; none comes any more once the queue is closed. */
    private Optional<IoScheduler.Turn> take() {
      lock.lock();
      try {
        while (!closed) {
          long nowNs = System.nanoTime();
          Optional<IoScheduler.Turn> turn =
              mayTake(nowNs) ? schedule.next(nowNs) : Optional.empty();
          if (turn.isPresent()) {
            works = true;
            sinceNs = nowNs;
            from = schedule;
            return turn;
          }
          pause(schedule.copyWaitNs(nowNs));
        }
        return Optional.empty();
      } catch (RuntimeException | Error e) {
        damage = e; // before another worker looks
        throw e;
      } finally {
        lock.unlock();
      }
    }

    private boolean mayTake(long nowNs) {
      return damage == null && !hangs(nowNs);
    }

    /** Until something changes, or a copy may begin. */
    private void pause(long copyWaitNs) {
      try {
        if (copyWaitNs > 0) {
          changed.awaitNanos(copyWaitNs);
        } else {
          changed.await();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a worker of " + name, e);
      }
    }

    private void finish(IoScheduler.Turn turn, Optional<IOException> failure) {
      boolean over;
      lock.lock();
      try {
        works = false;
        over = from.ended(turn, failure, System.nanoTime());
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      if (over) {
        tell(turn.request());
      }
    }
  }
}
