package io.sluice.local.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Why stock's jobs fail while it is open: LocalJobRunner's log says so, and nothing else.
 *
 * <p>Ownership: the test closes it.
 */
final class StockLog extends AppenderSkeleton implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(LocalJobRunner.class);

  private final List<String> lines = new ArrayList<>();

  StockLog() {
    LOG.addAppender(this);
  }

  @Override
  protected synchronized void append(LoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
      lines.add(event.getRenderedMessage());
      String[] trace = event.getThrowableStrRep();
      if (trace != null) {
        lines.addAll(List.of(trace));
      }
    }
  }

  /** Its warnings and what threw them in one line, since reports of many tests show no more. */
  synchronized String text() {
    return Stream.concat(
            lines.stream().filter(line -> !line.startsWith("\tat ")).map(String::strip),
            lines.stream().filter(line -> line.startsWith("\tat ")))
        .collect(Collectors.joining(" "));
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  @Override
  public void close() {
    LOG.removeAppender(this);
  }
}
