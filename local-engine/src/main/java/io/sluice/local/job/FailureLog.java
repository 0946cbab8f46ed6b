package io.sluice.local.job;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the failures of one job: each in one line, with a stack trace for the first of those that
 * were thrown at one place. Diagnostics of attempts have all traces.
 *
 * <p>Thread contract: safe from any thread.
 */
final class FailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

  /** A job whose failures are all different does not fill the console either. */
  private static final int MOST_TRACES = 10;

  private final Set<List<?>> shown = new HashSet<>(); // guarded by this

  /** Logs the first line of a text, and the trace if nothing like it was logged before. */
  void log(String text, Throwable why) {
    String line = text.lines().findFirst().orElse("");
    if (isNew(why)) {
      LOG.warn(line, why);
    } else {
      LOG.warn(line);
    }
  }

  private synchronized boolean isNew(Throwable why) {
    Throwable root = why;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return shown.size() < MOST_TRACES
        && shown.add(List.of(root.getClass(), Arrays.asList(root.getStackTrace())));
  }
}
