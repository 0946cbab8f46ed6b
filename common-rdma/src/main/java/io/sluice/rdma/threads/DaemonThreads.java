package io.sluice.rdma.threads;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes threads that neither keep the process alive nor end it: what one dies of is logged, and
 * never reaches the process's own handler. YARN's and Spark's end a process in which a thread has
 * died of an error, and with it all tasks that have nothing to do with it.
 */
public final class DaemonThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);
  private static final long STACK_AS_USUAL = 0;

  private DaemonThreads() {}

  /** Not started yet. */
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
    Thread thread = new Thread(null, body, name, stackBytes);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (dead, cause) -> LastWords.error(LOG, "{} died", dead.getName(), cause));
    return thread;
  }
}
