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
 * The queue of all reads and writes of a process on one block device, in one order ({@link
 * IoScheduler}). Each worker takes the next unit: one unit is at the device, and one behind it.
 *
 * <p>A device hangs if the kernel does not answer a unit within the timeout. Then queued requests
 * fail, threads that wait for running ones get an exception, and no unit begins before the kernel
 * has answered. Only the time of the running unit counts, not the time in the queue: a slow device
 * is not a dead one. Other devices have other queues, workers and buffers.
 *
 * <p>Thread contract: safe from any thread. The lock is a leaf: nobody is called under it, and no
 * worker holds it while the device works. Queued requests wait for the device only, never for
 * memory, for a lock of their owner or for another request, so the queue always moves or hangs.
 * Ownership: its {@link Device} closes it; running units then end by themselves. Failure: that of
 * the work, or that the device hangs or was closed. An error of a worker itself, probably of
 * memory, leaves no thread waiting: the queued requests fail with it, and the worker begins anew.
 */
public final class DeviceQueue implements Closeable {
  /** Number of units of better classes before one of a worse class. */
  static final int FAVOUR = 8;

  private static final Logger LOG = LoggerFactory.getLogger(DeviceQueue.class);
  private static final long REVIEW_MS = 100;

  /** Number of units at the device at a time. */
  static final int DEPTH = 2;

  private final String name;
  private final long timeoutNs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Supplier<IoScheduler> schedules;
  private final List<Worker> workers = new ArrayList<>();
  private final IOException unqueued; // made at the start, while there is memory
  private IoScheduler schedule;
  private Throwable damage; // null: the schedule is intact
  private boolean closed;

  /**
   * Starts the workers of one device.
   *
   * @param name for messages and names of threads
   * @param timeoutMs longest time of a unit
   */
  public DeviceQueue(String name, long timeoutMs) {
    this(name, timeoutMs, () -> new IoScheduler(FAVOUR, System.nanoTime()));
  }

  /** The same with other schedules, each without requests; a test has one that fails. */
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

  /** Queues a request; if the queue is closed or hangs, the request fails at once. */
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
        } catch (RuntimeException | Error e) { // its waiting thread and its memory need an end
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
   * Waits for the answer to a request, and throws its failure. An interrupt does not end the wait,
   * and stays set: the device serves others too.
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

  /** Moves a request to a better class, because a thread waits for it now. */
  public void promote(DiskRequest request, IoClass better) {
    lock.lock();
    try {
      schedule.promote(request, better);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Gives a request up, because its owner is gone; a unit that runs ends later. */
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

  /** The state of a request. */
  public DiskRequest.State state(DiskRequest request) {
    lock.lock();
    try {
      return request.state();
    } finally {
      lock.unlock();
    }
  }

  /** Checks whether the device hangs, and if so fails all requests. */
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
    return new IOException(
        "%s has not answered for %s ms".formatted(name, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
  }

  /** Fails the queued requests; the workers end after their current units. */
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

  /** After {@link #close}: waits for running units, as long as the device does not hang. */
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
   * Replaces a schedule in which a worker failed, since its state is unknown: fails all requests.
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

  /** Tells the owner of a request; its exception must not end a worker. */
  private void tell(DiskRequest over) {
    try {
      over.tellOver();
    } catch (RuntimeException | Error e) {
      SafeLog.error(LOG, "{}: the owner of a request failed at its end", name, e);
    }
  }

  /** Takes units and executes them, one after the other. */
  private final class Worker implements Runnable {
    private final Thread thread;
    private boolean works; // under the lock
    private IoScheduler from; // which scheduled its unit
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

    /** Waits for a unit; empty once the queue is closed. */
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

    /** Waits until something changes, or a copy may begin. */
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
