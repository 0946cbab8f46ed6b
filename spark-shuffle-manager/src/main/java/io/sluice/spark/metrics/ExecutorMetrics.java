package io.sluice.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.spark.pool.ExecutorPool;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.spark.metrics.source.Source;

/**
 * An executor's pool and what was read by it, for whatever sinks {@code metrics.properties} names:
 * {@code sluice.pool.memory.usedBytes} and so on.
 *
 * <p>Thread contract: safe from any thread; not asked any more when the pool is closed.
 */
public final class ExecutorMetrics implements Source {
  private static final List<String> TRANSPORTS = List.of("ucx", "disni", "tcp");

  private final MetricRegistry registry = new MetricRegistry();

  /** Of an executor whose pool is open. */
  public ExecutorMetrics(ExecutorPool pool, ShuffleCounters counters) {
    gauge("pool.memory.usedBytes", () -> pool.stats().memory().usedBytes());
    gauge("pool.disk.usedBytes", () -> pool.stats().disk().usedBytes());
    gauge("pool.written.bytes", pool::writtenBytes);
    gauge("pool.outputs", () -> pool.stats().outputs());
    for (String transport : TRANSPORTS) {
      gauge(
          "read." + transport + ".bytes", () -> counters.bytesByWay().getOrDefault(transport, 0L));
    }
    gauge(
        "fallbacks", () -> counters.fallbacks().values().stream().mapToLong(Long::longValue).sum());
  }

  private void gauge(String name, LongSupplier value) {
    registry.register(name, (Gauge<Long>) value::getAsLong);
  }

  @Override
  public String sourceName() {
    return "sluice";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
