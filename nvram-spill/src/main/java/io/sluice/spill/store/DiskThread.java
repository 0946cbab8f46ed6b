package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does on a thread of its own what the store has to do in one directory of the disk tier, one thing
 * after the other, so that a file system that hangs (a dead disk, a network one whose server is
 * gone) costs a deadline and not the lock of the store, under which all memory is granted.
 *
 * <p>Once somebody has waited in vain nobody waits any more: until the file system answers,
 * everything else in that directory fails at once. What was given up may still be done later.
 *
 * <p>Thread contract: safe from any thread, its own included, which does its work at once. An
 * interrupt ends no wait and stays set: the pool is for others too. The thread ends when it has had
 * nothing to do for a while. Failure: that of the work, or {@link IOException} when the file system
 * does not answer.
 */
final class DiskThread {
  /** Longer than a loaded disk needs to cut a file, shorter than tasks wait for the service. */
  static final long TIMEOUT_MS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(DiskThread.class);
  private static final long IDLE_MS = 10_000;

  private final Path directory;
  private final long timeoutMs;
  private final ThreadPoolExecutor executor;
  private final AtomicInteger givenUp = new AtomicInteger();
  private volatile Thread thread;

  /** What there is to do. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** The same without a result. */
  interface Action {
    void run() throws IOException;
  }

  /** For one directory; no thread is started yet. */
  DiskThread(Path directory, long timeoutMs) {
    this.directory = directory;
    this.timeoutMs = timeoutMs;
    this.executor =
        new ThreadPoolExecutor(
            1, 1, IDLE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), this::newThread);
    executor.allowCoreThreadTimeOut(true);
  }

  private Thread newThread(Runnable body) {
    thread = DaemonThreads.create("sluice-disk " + directory, body);
    return thread;
  }

  /** Whether somebody has waited in vain for what is still not done. */
  boolean hangs() {
    return givenUp.get() > 0;
  }

  /** Does it. */
  void run(Action action) throws IOException {
    call(
        () -> {
          action.run();
          return null;
        },
        nothing -> {});
  }

  /**
   * Does it and returns its result.
   *
   * @param tooLate is given a result for which nobody waits any more
   */
  <T> T call(Work<T> work, Consumer<T> tooLate) throws IOException {
    if (Thread.currentThread() == thread) {
      return work.run();
    }
    if (hangs()) {
      throw new IOException(
          directory + " hangs: what was asked of it " + timeoutMs + " ms ago is not done yet");
    }
    Job<T> job = new Job<>(work, tooLate);
    executor.execute(job);
    return job.await();
  }

  /** One thing to do, and who waits for it. */
  private final class Job<T> implements Runnable {
    private final Work<T> work;
    private final Consumer<T> tooLate;
    private T result;
    private Throwable failure;
    private boolean done;
    private boolean abandoned;

    Job(Work<T> work, Consumer<T> tooLate) {
      this.work = work;
      this.tooLate = tooLate;
    }

    @Override
    public void run() {
      try {
        end(work.run(), null);
      } catch (IOException | RuntimeException | Error e) {
        end(null, e);
      }
    }

    private void end(T made, Throwable thrown) {
      synchronized (this) {
        result = made;
        failure = thrown;
        done = true;
        notifyAll();
        if (!abandoned) {
          return;
        }
      }
      givenUp.decrementAndGet();
      if (thrown == null) {
        LOG.info("{} answers again", directory);
        tooLate.accept(made);
      } else {
        LOG.warn("{} answers again, but what was given up has failed", directory, thrown);
      }
    }

    synchronized T await() throws IOException {
      long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      boolean interrupted = false;
      long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      while (!done && leftNs > 0) {
        try {
          TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        leftNs = deadlineNs - System.nanoTime();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      if (!done) {
        abandoned = true;
        givenUp.incrementAndGet();
        throw new IOException(directory + " has not answered for " + timeoutMs + " ms");
      }
      return outcome();
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
