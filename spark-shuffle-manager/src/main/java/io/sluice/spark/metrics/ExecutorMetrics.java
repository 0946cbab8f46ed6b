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
  private static final List<String> WAYS =
      List.of("ucx", "disni", "tcp", ShuffleCounters.OWN_POOL, ShuffleCounters.THROUGH_SPARK);

  private final MetricRegistry registry = new MetricRegistry();

  /** Of an executor whose pool is open. */
  public ExecutorMetrics(ExecutorPool pool, ShuffleCounters counters) {
    gauge("pool.memory.capacityBytes", () -> pool.stats().memory().capacityBytes());
    gauge("pool.memory.usedBytes", () -> pool.stats().memory().usedBytes());
    gauge("pool.disk.usedBytes", () -> pool.stats().disk().usedBytes());
    gauge("pool.written.bytes", pool::writtenBytes);
    gauge("pool.outputs", () -> pool.stats().outputs());
    for (String way : WAYS) {
      gauge("read." + way + ".bytes", () -> counters.bytesByWay().getOrDefault(way, 0L));
    }
    gauge("movedHere.bytes", counters::movedHereBytes);
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
