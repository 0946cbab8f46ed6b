package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the store's work in one directory of the disk tier, one job after the other, on a thread of
 * its own. A file system may hang: its disk is dead, or its server is gone. Then a job costs a
 * deadline, but not the lock of the store, under which all memory is granted.
 *
 * <p>A job that takes longer than the deadline fails for its caller and for all that queue behind
 * it. Until it is done every other job fails at once. It may still be done later. A job that was
 * given up before it began is never done; that is a {@link NotBegunException}. While one directory
 * of a store hangs, the others have a tenth of the deadline for jobs that can be done elsewhere. So
 * all of them together do not make tasks wait for the service in vain.
 *
 * <p>Thread contract: safe from any thread, its own included, which does its work at once. An
 * interrupt ends no wait and stays set: the pool is for others too. The thread ends when it has had
 * nothing to do for a while. Ownership: {@link DiskThreads} closes it. Failure: that of the work,
 * or {@link IOException} when the file system does not answer or no thread can be had.
 */
final class DiskThread implements AutoCloseable {
  /** Longer than a loaded disk needs to cut a file, shorter than tasks wait for the service. */
  static final long TIMEOUT_MS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(DiskThread.class);

  private final Path directory;
  private final long timeoutMs;
  private final AtomicInteger hanging;
  private final ThreadPoolExecutor executor;
  private volatile Thread thread; // that works now, or did last

  private final Object lock = new Object();
  private Job<?> running; // null: nothing
  private long runningSinceNs;
  private boolean hung; // somebody has given up what is running

  /** The job is not done, and will not be. */
  static final class NotBegunException extends IOException {
    private static final long serialVersionUID = 1;

    NotBegunException(String message) {
      super(message);
    }
  }

  /** A job with a result. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** A job that was asked for. */
  interface Asked<T> {
    /** Its result; waits until {@code waitMs} after it was asked. */
    T await(long waitMs) throws IOException;
  }

  /** A job without a result. */
  interface Action {
    void run() throws IOException;
  }

  /**
   * For one directory; no thread is started yet.
   *
   * @param name the thread's, before that of the directory
   * @param idleMs it ends when it has had nothing to do for so long
   * @param hanging how many threads of the store hang
   */
  DiskThread(String name, Path directory, long idleMs, long timeoutMs, AtomicInteger hanging) {
    this.directory = directory;
    this.timeoutMs = timeoutMs;
    this.hanging = hanging;
    this.executor = DaemonThreads.executor(name + " " + directory, idleMs);
  }

  /** Whether the running job takes longer than the deadline. */
  boolean hangs() {
    synchronized (lock) {
      return hung;
    }
  }

  /** Does it. */
  void run(Action action) throws IOException {
    call(asWork(action), nothing -> {});
  }

  private static Work<Void> asWork(Action action) {
    return () -> {
      action.run();
      return null;
    };
  }

  /**
   * Does it and returns its result.
   *
   * @param tooLate is given a result for which nobody waits any more
   */
  <T> T call(Work<T> work, Consumer<T> tooLate) throws IOException {
    return call(work, tooLate, hanging.get() > 0 ? timeoutMs / 10 : timeoutMs);
  }

  /**
   * The same with all of the deadline, whatever else hangs: at the start, when nobody else waits,
   * and where a failure is for good.
   */
  <T> T callPatiently(Work<T> work, Consumer<T> tooLate) throws IOException {
    return call(work, tooLate, timeoutMs);
  }

  /** The same without a result. */
  void runPatiently(Action action) throws IOException {
    callPatiently(asWork(action), nothing -> {});
  }

  /** Has it done while others do theirs; not for its own thread. */
  <T> Asked<T> ask(Work<T> work) throws IOException {
    if (hangs()) {
      throw hangsFor(timeoutMs);
    }
    Job<T> job = new Job<>(work, late -> {}, false);
    start(job);
    return job;
  }

  /** How long to wait for what was asked of several directories at once. */
  long timeoutMs() {
    return timeoutMs;
  }

  private <T> T call(Work<T> work, Consumer<T> tooLate, long waitMs) throws IOException {
    if (Thread.currentThread() == thread) {
      return work.run();
    }
    if (hangs()) {
      throw hangsFor(waitMs);
    }
    Job<T> job = new Job<>(work, tooLate, false);
    start(job);
    return job.await(waitMs);
  }

  /** Does it, however late: it gives something back. Waits no longer than for anything else. */
  void runSometime(Action action) throws IOException {
    if (Thread.currentThread() == thread || executor.isShutdown()) {
      action.run();
      return;
    }
    Job<Void> job = new Job<>(asWork(action), nothing -> {}, true);
    boolean inVain = hangs();
    start(job);
    if (inVain) {
      throw new IOException(hangs(timeoutMs));
    }
    job.await(timeoutMs);
  }

  /** Ends the thread when it has done what it was asked for; nothing more is asked of it. */
  @Override
  public void close() {
    executor.shutdown();
  }

  private void start(Job<?> job) throws IOException {
    try {
      executor.execute(job);
    } catch (RejectedExecutionException e) {
      throw new IOException(directory + " was closed", e);
    } catch (OutOfMemoryError e) { // a caller that frees things must go on with the next
      IOException failure = job.giveUp("no thread can be had for " + directory);
      executor.remove(job);
      failure.initCause(e);
      throw failure;
    }
  }

  private IOException hangsFor(long waitMs) {
    return new NotBegunException(hangs(waitMs));
  }

  private String hangs(long waitMs) {
    return directory + " hangs: what was asked of it is not done after " + waitMs + " ms or more";
  }

  /** One job, and its waiting caller. */
  private final class Job<T> implements Runnable, Asked<T> {
    private final Work<T> work;
    private final Consumer<T> tooLate;
    private final boolean always;
    private final long askedNs = System.nanoTime();
    private T result;
    private Throwable failure;
    private boolean begun;
    private boolean done;
    private boolean givenUp;

    Job(Work<T> work, Consumer<T> tooLate, boolean always) {
      this.work = work;
      this.tooLate = tooLate;
      this.always = always;
    }

    @Override
    public void run() {
      if (!begin()) {
        return;
      }
      T made = null;
      Throwable thrown = null;
      try {
        made = work.run();
      } catch (IOException | RuntimeException | Error e) {
        thrown = e;
      }
      if (!endInTime(made, thrown)) {
        endLate(made, thrown);
      }
    }

    private boolean begin() {
      synchronized (lock) {
        if (givenUp && !always) {
          return false;
        }
        begun = true;
        thread = Thread.currentThread();
        running = this;
        runningSinceNs = System.nanoTime();
        lock.notifyAll();
        return true;
      }
    }

    private boolean endInTime(T made, Throwable thrown) {
      synchronized (lock) {
        if (!givenUp) {
          result = made;
          failure = thrown;
          end();
        }
        return !givenUp;
      }
    }

    /** Dropping the late result is a part of the job: it may hang as well. */
    private void endLate(T made, Throwable thrown) {
      try {
        if (thrown == null) {
          LOG.info("{} answers again", directory);
          tooLate.accept(made);
        } else {
          LOG.warn("{} answers again, but what was given up has failed", directory, thrown);
        }
      } finally {
        synchronized (lock) {
          end();
        }
      }
    }

    private void end() {
      done = true;
      running = null;
      if (hung) {
        hung = false;
        hanging.decrementAndGet();
      }
      lock.notifyAll();
    }

    /** Nobody waits for it any more; what to say of it. */
    private IOException giveUp(String message) {
      synchronized (lock) {
        givenUp = true;
        return begun || always ? new IOException(message) : new NotBegunException(message);
      }
    }

    @Override
    public T await(long waitMs) throws IOException {
      long waitNs = TimeUnit.MILLISECONDS.toNanos(waitMs);
      boolean interrupted = false;
      synchronized (lock) {
        long waitedNs = Math.max(sinceNs(askedNs), runningNs());
        while (!done && waitedNs < waitNs) {
          try {
            TimeUnit.NANOSECONDS.timedWait(lock, waitNs - waitedNs);
          } catch (InterruptedException e) {
            interrupted = true;
          }
          waitedNs = Math.max(sinceNs(askedNs), runningNs());
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        if (!done) {
          if (!hung && runningNs() >= TimeUnit.MILLISECONDS.toNanos(timeoutMs)) {
            hung = true;
            hanging.incrementAndGet();
          }
          throw giveUp(directory + " has not answered for " + waitMs + " ms");
        }
      }
      return outcome();
    }

    private long runningNs() {
      return running == null ? 0 : sinceNs(runningSinceNs);
    }

    private static long sinceNs(long startNs) {
      return System.nanoTime() - startNs;
    }

    private T outcome() throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      }
      if (failure instanceof RuntimeException e) {
        throw e;
      }
      if (failure instanceof Error e) {
        throw e;
      }
      return result;
    }
  }
}
