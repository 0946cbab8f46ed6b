package io.sluice.spark;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.SparkConf;

/** The log lines of one class, until this is closed. */
public final class LogLines implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final AbstractAppender appender =
      new AbstractAppender("lines", null, null, false, Property.EMPTY_ARRAY) {
        @Override
        public void append(LogEvent event) {
          lines.add(event.getMessage().getFormattedMessage());
        }
      };

  /** Listens from now on. */
  public LogLines(Class<?> of) {
    new SparkConf(false).log(); // the first to ask Spark for its log makes it configure all of them
    logger = (Logger) LogManager.getLogger(of);
    appender.start();
    logger.addAppender(appender);
    logger.setLevel(Level.INFO); // last, because another appender resets it
  }

  /** Those that have a word. */
  public List<String> with(String word) {
    return lines.stream().filter(line -> line.contains(word)).toList();
  }

  @Override
  public void close() {
    logger.removeAppender(appender);
    appender.stop();
  }
}
