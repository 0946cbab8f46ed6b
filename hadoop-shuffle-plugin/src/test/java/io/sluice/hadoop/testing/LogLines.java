package io.sluice.hadoop.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * What is logged while it is open, from INFO on, as a task's log has it.
 *
 * <p>Ownership: the test closes it, which puts the level back.
 */
public final class LogLines extends AppenderSkeleton implements AutoCloseable {
  private final Level level = Logger.getRootLogger().getLevel();
  private final List<String> lines = new ArrayList<>();
  private final AtomicBoolean open = new AtomicBoolean(true);

  public LogLines() {
    Logger.getRootLogger().setLevel(Level.INFO);
    Logger.getRootLogger().addAppender(this);
  }

  @Override
  protected synchronized void append(LoggingEvent event) {
    lines.add(event.getLevel() + " " + event.getRenderedMessage());
    String[] trace = event.getThrowableStrRep();
    if (trace != null) {
      lines.addAll(List.of(trace));
    }
  }

  /** The lines that hold {@code part}, stack traces among them. */
  public synchronized List<String> with(String part) {
    return lines.stream().filter(line -> line.contains(part)).toList();
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  /** Once: its finalizer closes it, too, in the middle of a later test. */
  @Override
  public void close() {
    if (open.getAndSet(false)) {
      Logger.getRootLogger().removeAppender(this);
      Logger.getRootLogger().setLevel(level);
    }
  }
}
