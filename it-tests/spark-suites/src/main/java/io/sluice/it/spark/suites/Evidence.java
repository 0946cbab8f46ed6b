package io.sluice.it.spark.suites;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.sink.Sink;

/**
 * How a suite shuffled, as {@link ShuffleWatch} wrote it down.
 *
 * @param managers how many drivers and executors had which shuffle manager, by its class
 * @param metrics the sums of Sluice's metrics over all of them
 */
public record Evidence(Map<String, Integer> managers, Map<String, Long> metrics) {
  /** The environment variable that names the file; executors inherit it. */
  public static final String VARIABLE = "SLUICE_SUITE_EVIDENCE";

  private static final String MANAGER = "manager";
  private static final String METRIC = "metric";

  /** Of how many bytes of map outputs were committed to pools. */
  private static final String WRITTEN = "pool.written.bytes";

  /** Reads it; there is no file if no context was started. */
  public static Evidence read(Path file) throws IOException {
    Map<String, Integer> managers = new TreeMap<>();
    Map<String, Long> metrics = new TreeMap<>();
    for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
      String[] words = line.split(" ");
      if (words[0].equals(MANAGER)) {
        managers.merge(words[2], 1, Integer::sum);
      } else {
        metrics.merge(words[1], Long.parseLong(words[2]), Long::sum);
      }
    }
    return new Evidence(managers, metrics);
  }

  /** Bytes of map outputs that went to pools, of contexts and executors that were stopped. */
  public long pooledBytes() {
    return metrics.getOrDefault(WRITTEN, 0L);
  }

  /**
   * Why this does not show that a suite shuffled through {@code manager}; empty if it does.
   *
   * @param declined whether all of it had to be left to Spark
   */
  public List<String> faults(String manager, boolean declined) {
    List<String> faults = new ArrayList<>();
    managers.forEach(
        (actual, count) -> {
          if (!actual.equals(manager)) {
            faults.add("%d of the suite's contexts and executors had %s".formatted(count, actual));
          }
        });
    if (declined) {
      if (managers.isEmpty() || pooledBytes() > 0) {
        faults.add(pooledBytes() + " bytes went to a pool, 0 expected; managers: " + managers);
      }
    } else if (pooledBytes() == 0) {
      faults.add("no map output of the suite went to a pool; managers: " + managers);
    }
    return faults;
  }

  /**
   * Writes down which shuffle manager every Spark context of a suite really has, and what its
   * metrics say at its end. It is a sink that {@code metrics.properties} on the class path names,
   * because that is read for every context and by every executor, whatever configuration a test
   * makes.
   *
   * <p>Thread contract: one line is one write, from any thread and any process of a suite. Failure:
   * the context's, if a line cannot be written.
   */
  public static final class ShuffleWatch implements Sink {
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
      write(MANAGER, role, SparkEnv.get().shuffleManager().getClass().getName());
    }

    private static void write(String name, Gauge<?> gauge) {
      write(METRIC, name.replaceFirst(".*\\.sluice\\.", ""), gauge.getValue().toString());
    }

    private static void write(String... words) {
      Path file = Path.of(System.getenv(VARIABLE));
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
}
