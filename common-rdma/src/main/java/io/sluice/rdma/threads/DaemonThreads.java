package io.sluice.rdma.threads;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates threads that neither keep the process alive nor end it. An exception that ends such a
 * thread is logged and does not reach the process's own handler. The handlers of YARN and Spark end
 * the process, and unrelated tasks with it.
 *
 * <p>The threads also keep no reference to the task that created them, so that its classes can be
 * unloaded. By default a thread inherits the context class loader, the access control context,
 * inheritable thread-locals and the thread group of its creator. So these threads act for no
 * particular user.
 */
public final class DaemonThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);
  private static final long STACK_AS_USUAL = 0;
  private static final ThreadGroup TOP = withoutCaller(DaemonThreads::topGroup);

  private DaemonThreads() {}

  /** The thread group of the process that has no parent. */
  public static ThreadGroup topGroup() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    return top;
  }

  /**
   * Creates a thread without starting it; also for shutdown hooks, which the process keeps to its
   * end.
   */
  public static Thread create(String name, Runnable body) {
    return create(name, STACK_AS_USUAL, body);
  }

  /** An executor with one thread, which ends when it was idle for {@code idleMs}. */
  public static ThreadPoolExecutor executor(String name, long idleMs) {
    return executor(name, 1, idleMs);
  }

  /**
   * An executor with up to {@code threads} threads, each of which ends when it was idle for {@code
   * idleMs}.
   */
  public static ThreadPoolExecutor executor(String name, int threads, long idleMs) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            idleMs,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            body -> create(name, body));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Creates one of many threads that need little stack. */
  public static Thread create(String name, long stackBytes, Runnable body) {
    return withoutCaller(
        () -> {
          Thread thread = new Thread(TOP, body, name, stackBytes, false);
          thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
          thread.setDaemon(true);
          thread.setUncaughtExceptionHandler(
              (dead, cause) -> SafeLog.error(LOG, "{} died", dead.getName(), cause));
          return thread;
        });
  }

  /**
   * Waits for a thread's end, even if the caller is interrupted.
   *
   * @return whether it has ended or was never started
   */
  public static boolean awaitEnd(Thread thread, long timeoutMs) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    boolean interrupted = false;
    for (long leftNs; thread.isAlive() && (leftNs = deadlineNs - System.nanoTime()) > 0; ) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  /**
   * Runs {@code make} without the callers' access control context, which a new thread would keep.
   */
  @SuppressWarnings("removal") // newer JDKs do not keep callers and do not need this call
  private static <T> T withoutCaller(PrivilegedAction<T> make) {
    return AccessController.doPrivileged(make);
  }
}
