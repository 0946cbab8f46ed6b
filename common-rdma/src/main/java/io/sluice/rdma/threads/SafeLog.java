package io.sluice.rdma.threads;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Says what went wrong on a thread that must go on. Whatever went wrong, a lack of memory most of
 * all, may keep the words from being said too: then they are counted, and the thread goes on.
 *
 * <p>The arguments are single ones, because an array or a lambda would have to be made before
 * anything is caught. Thread contract: safe from any thread. Failure: none ever.
 */
public final class SafeLog {
  private static final AtomicLong UNSAID = new AtomicLong();

  private SafeLog() {}

  /** Logs an error; {@code message} has one place, for {@code subject}. */
  public static void error(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.error(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** Logs a warning; {@code message} has one place, for {@code subject}. */
  public static void warn(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.warn(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** Says something to who looks for it; {@code message} has one place, for {@code subject}. */
  public static void debug(Logger log, String message, Object subject, Throwable cause) {
    try {
      log.debug(message, subject, cause);
    } catch (RuntimeException | Error e) {
      UNSAID.incrementAndGet();
    }
  }

  /** How often this process could not say what went wrong. */
  public static long unsaid() {
    return UNSAID.get();
  }
}
