package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that uses a context and its worker. It runs tasks, progresses communication, and
 * sleeps while there is neither.
 *
 * <p>Thread contract: {@link #execute}, {@link #call} and {@link #close} from any thread, the rest
 * from tasks only. UCX' callbacks run inside progress and only queue tasks, so a task never runs
 * inside UCX. Ownership: the endpoint that made it closes it. This thread destroys the native
 * objects, after all watched requests have finished.
 */
final class UcxLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UcxLoop.class);
  private static final long CALL_LIMIT_MS = 30_000;
  private static final long WATCH_PAUSE_NANOS = 50_000;

  /** An unfinished request of UCX, and the action to run when it has finished. */
  private record Watched(UcpRequest request, Runnable then) {}

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final List<Watched> watched = new ArrayList<>();
  private final Object signalLock = new Object();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private UcpContext context;
  private UcpWorker worker;
  private boolean accepting; // guarded by signalLock
  private boolean closing; // loop only

  private UcxLoop(String threadName, UcxSettings settings, CompletableFuture<Void> started) {
    thread = DaemonThreads.create(threadName, () -> run(settings, started));
  }

  static UcxLoop start(String threadName, UcxSettings settings) throws TransportException {
    CompletableFuture<Void> started = new CompletableFuture<>();
    UcxLoop loop = new UcxLoop(threadName, settings, started);
    loop.thread.start();
    await(started, "starting UCX");
    return loop;
  }

  private void run(UcxSettings settings, CompletableFuture<Void> started) {
    try {
      open(settings);
      started.complete(null);
      while (!closing || !watched.isEmpty()) {
        turn();
      }
    } catch (Throwable e) {
      if (!started.completeExceptionally(e)) {
        SafeLog.error(LOG, "ucx: {} died; its connections are lost", thread.getName(), e);
      }
    } finally {
      end();
    }
  }

  private void open(UcxSettings settings) {
    context = settings.newContext();
    worker = context.newWorker(new UcpWorkerParams().requestWakeupRMA().requestWakeupRX());
    synchronized (signalLock) {
      accepting = true;
    }
  }

  private void turn() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    int events = progress();
    runFinishedWatches();
    if (events > 0 || !tasks.isEmpty() || closing) {
      return;
    }
    if (watched.isEmpty()) {
      worker.waitForEvents();
    } else {
      LockSupport.parkNanos(WATCH_PAUSE_NANOS); // a finished close wakes no thread
    }
  }

  private int progress() {
    try {
      return worker.progress();
    } catch (UcxException e) {
      // A request failed; UCX also calls its callback or the endpoint's error handler.
      LOG.debug("ucx: progress reports", e);
      return 1;
    } catch (Exception e) {
      throw new IllegalStateException("unexpected exception from UCX's progress", e);
    }
  }

  private void runFinishedWatches() {
    if (watched.isEmpty()) {
      return;
    }
    List<Watched> finished = new ArrayList<>();
    for (Iterator<Watched> it = watched.iterator(); it.hasNext(); ) {
      Watched candidate = it.next();
      if (candidate.request().isCompleted()) {
        it.remove();
        finished.add(candidate);
      }
    }
    finished.forEach(done -> done.then().run());
  }

  private void end() {
    synchronized (signalLock) {
      accepting = false;
    }
    try {
      // Tasks accepted before must still run: threads may wait for them.
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    } finally {
      try {
        if (worker != null) {
          worker.close();
        }
      } finally {
        try {
          if (context != null) {
            context.close();
          }
        } finally {
          ended.countDown();
        }
      }
    }
  }

  UcpContext context() {
    return context;
  }

  UcpWorker worker() {
    return worker;
  }

  /** Runs {@code then} on the loop when the request has finished. */
  void watch(UcpRequest request, Runnable then) {
    watched.add(new Watched(request, then));
  }

  /**
   * Ends a UCX endpoint at once, without asking the peer. Runs {@code then} when UCX has released
   * all of its requests: from then on nothing is written or read through this endpoint. On the loop
   * only.
   */
  void closeForced(UcpEndpoint endpoint, Runnable then) {
    UcpRequest request;
    try {
      request = endpoint.closeNonBlockingForce();
    } catch (UcxException e) {
      LOG.warn("ucx: {} was already broken when it was closed", endpoint, e);
      then.run();
      return;
    }
    watch(request, then);
  }

  boolean isLoopThread() {
    return Thread.currentThread() == thread;
  }

  /**
   * Queues a task; false if the loop has ended and the task will never run. Nor does it run if this
   * throws.
   */
  boolean execute(Runnable task) {
    synchronized (signalLock) {
      if (!accepting) {
        return false;
      }
      tasks.add(task);
      try {
        if (!isLoopThread()) {
          worker.signal();
        }
      } catch (RuntimeException | Error e) {
        if (tasks.remove(task)) {
          throw e;
        }
        // The loop was awake, and has taken it.
      }
      return true;
    }
  }

  /** Runs {@code body} on the loop and waits for its result. */
  <T> T call(String what, Callable<T> body) throws TransportException {
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable task =
        () -> {
          try {
            result.complete(body.call());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        };
    if (isLoopThread()) {
      task.run();
    } else if (!execute(task)) {
      throw new TransportException("ucx: " + what + ": the endpoint is closed");
    }
    return await(result, what);
  }

  private static <T> T await(CompletableFuture<T> result, String what) throws TransportException {
    boolean interrupted = false;
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CALL_LIMIT_MS);
    try {
      while (true) {
        try {
          return result.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true; // native objects must not stay half made
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TransportException failure) {
        throw failure;
      }
      throw new TransportException("ucx: " + what + " failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new TransportException(
          "ucx: " + what + " did not finish within " + CALL_LIMIT_MS + " ms", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends the loop after {@code last} has run and all watched requests have finished. */
  void close(Runnable last) {
    execute(
        () -> {
          last.run();
          closing = true;
        });
    awaitEnd();
  }

  @Override
  public void close() {
    close(() -> {});
  }

  /** Waits until the worker and the context are destroyed. */
  void awaitEnd() {
    if (!isLoopThread() && !Uninterruptibly.await(ended, CALL_LIMIT_MS)) {
      throw new IllegalStateException(
          "ucx: " + thread.getName() + " did not end within " + CALL_LIMIT_MS + " ms");
    }
  }
}
