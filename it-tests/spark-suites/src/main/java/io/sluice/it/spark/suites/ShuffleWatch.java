package io.sluice.it.spark.suites;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Properties;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.sink.Sink;

/**
 * Writes down which shuffle manager every Spark context of a suite really has, and what its metrics
 * say at its end. It is a sink that {@code metrics.properties} on the class path names, because
 * that is read for every context and by every executor, whatever configuration a test makes.
 *
 * <p>Thread contract: one line is one write, from any thread and any process of a suite. Failure:
 * the context's, if a line cannot be written.
 */
public final class ShuffleWatch implements Sink {
  private final MetricRegistry registry;

  /** Called by Spark. */
  public ShuffleWatch(Properties properties, MetricRegistry registry) {
    this.registry = registry;
  }

  /** A driver has its shuffle manager by then, an executor not yet. */
  @Override
  public void start() {
    if (SparkEnv.get() != null) {
      writeManager("driver");
    }
  }

  @Override
  public void stop() {}

  /** Called before a context or an executor stops its shuffle manager. */
  @Override
  public void report() {
    if (!"driver".equals(SparkEnv.get().executorId())) {
      writeManager("executor");
    }
    registry.getGauges((name, metric) -> name.contains(".sluice.")).forEach(ShuffleWatch::write);
  }

  private static void writeManager(String role) {
    write(Evidence.MANAGER, role, SparkEnv.get().shuffleManager().getClass().getName());
  }

  private static void write(String name, Gauge<?> gauge) {
    write(Evidence.METRIC, name.replaceFirst(".*\\.sluice\\.", ""), gauge.getValue().toString());
  }

  private static void write(String... words) {
    Path file = Path.of(System.getenv(Evidence.VARIABLE));
    try {
      Files.write(
          file,
          List.of(String.join(" ", words)),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write down what shuffles", e);
    }
  }
}
