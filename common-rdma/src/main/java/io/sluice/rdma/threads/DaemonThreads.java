package io.sluice.rdma.threads;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes threads that neither keep the process alive nor end it: what one dies of is logged, and
 * never reaches the process's own handler. YARN's and Spark's end a process in which a thread has
 * died of an error, and with it all tasks that have nothing to do with it.
 *
 * <p>Nor do they keep anything of a task that has them made, whose classes go when it has ended:
 * Java hands down the context class loader, the classes that are on the stack, values of
 * inheritable variables and the group of threads. So they work for no user in particular.
 */
public final class DaemonThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);
  private static final long STACK_AS_USUAL = 0;
  private static final ThreadGroup TOP = ofNobody(DaemonThreads::topGroup);

  private DaemonThreads() {}

  private static ThreadGroup topGroup() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    return top;
  }

  /** Not started yet; a hook for the end of the process, too, is kept as long as that lives. */
  public static Thread create(String name, Runnable body) {
    return create(name, STACK_AS_USUAL, body);
  }

  /** One thread after the other, which ends when it has had nothing to do for {@code idleMs}. */
  public static ThreadPoolExecutor executor(String name, long idleMs) {
    return executor(name, 1, idleMs);
  }

  /** Up to so many threads, each of which ends when it has had nothing to do for {@code idleMs}. */
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

  /** One of many that need little stack. */
  public static Thread create(String name, long stackBytes, Runnable body) {
    return ofNobody(
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
   * Waits for a thread's end, whatever interrupts the caller.
   *
   * @return whether it has ended, or was never started
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

  /** Without the callers' classes: a new thread keeps those up to the first such call. */
  @SuppressWarnings("removal") // newer JDKs remember no callers, and need no such call
  private static <T> T ofNobody(PrivilegedAction<T> make) {
    return AccessController.doPrivileged(make);
  }
}
