package io.sluice.local.job;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.util.StringUtils;
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

  private static final Pattern TASK =
      Pattern.compile("\tat org\\.apache\\.hadoop\\.mapred\\.(Map|Reduce)Task\\.run\\(.*");

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

  /** The stack trace of a failure, without the engine's own frames below Hadoop's task. */
  static String trace(Throwable why) {
    StringBuilder trace = new StringBuilder();
    boolean isBelowTask = false;
    for (String line : StringUtils.stringifyException(why).split("\n")) {
      isBelowTask &= line.startsWith("\tat ");
      if (!isBelowTask) {
        trace.append(line).append('\n');
      }
      isBelowTask |= TASK.matcher(line).matches();
    }
    return trace.toString();
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
