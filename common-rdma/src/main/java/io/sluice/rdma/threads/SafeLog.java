package io.sluice.rdma.threads;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Logs failures on a thread that must go on. If logging itself fails, for want of memory for
 * example, the failure is counted and the thread goes on.
 *
 * <p>The arguments are single ones, because an array or a lambda would be allocated before the
 * failure can be caught. Thread contract: safe from any thread. Failure: none.
 */
public final class SafeLog {
  private static final AtomicLong UNSAID = new AtomicLong();

  private SafeLog() {}

  /** Logs an error; {@code message} has one placeholder, for {@code subject}. */
  public static void error(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.error(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** Logs a warning; {@code message} has one placeholder, for {@code subject}. */
  public static void warn(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.warn(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** Logs for debugging; {@code message} has one placeholder, for {@code subject}. */
  public static void debug(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.debug(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** The number of failures that this process could not log. */
  public static long unsaid() {
    return UNSAID.get();
  }
}
