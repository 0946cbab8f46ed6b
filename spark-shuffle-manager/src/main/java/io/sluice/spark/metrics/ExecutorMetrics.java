package io.sluice.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.spark.pool.ExecutorPool;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.spark.metrics.source.Source;

/**
 * What an executor wrote and read, and how its pool is, for whatever sinks {@code
 * metrics.properties} names: {@code sluice.pool.memory.usedBytes} and so on. Before it has a pool,
 * and on an executor that never opens one, what is said of that is 0.
 *
 * <p>Thread contract: safe from any thread; not asked any more when the pool is closed.
 */
public final class ExecutorMetrics implements Source {
  private static final List<String> WAYS =
      Stream.concat(
              TransportNames.BEST_FIRST.stream(),
              Stream.of(ShuffleCounters.OWN_POOL, ShuffleCounters.THROUGH_SPARK))
          .toList();

  private final MetricRegistry registry = new MetricRegistry();

  /** Asks for the pool every time: it is opened when it is needed. */
  public ExecutorMetrics(Supplier<Optional<ExecutorPool>> pool, ShuffleCounters counters) {
    ofPool("memory.capacityBytes", pool, opened -> opened.stats().memory().capacityBytes());
    ofPool("memory.createdBytes", pool, opened -> opened.stats().memory().createdBytes());
    ofPool("memory.segmentFailures", pool, opened -> opened.stats().segmentFailures());
    ofPool("memory.usedBytes", pool, opened -> opened.stats().memory().usedBytes());
    ofPool("disk.failedDirectories", pool, opened -> opened.stats().failedDirectories());
    ofPool("disk.usedBytes", pool, opened -> opened.stats().disk().usedBytes());
    ofPool("written.bytes", pool, ExecutorPool::writtenBytes);
    ofPool("outputs", pool, opened -> opened.stats().outputs());
    gauge("service.written.bytes", counters::serviceBytes);
    for (String way : WAYS) {
      gauge("read." + way + ".bytes", () -> counters.bytesByWay().getOrDefault(way, 0L));
    }
    gauge("movedHere.bytes", counters::movedHereBytes);
    gauge(
        "fallbacks", () -> counters.fallbacks().values().stream().mapToLong(Long::longValue).sum());
  }

  private void ofPool(
      String name, Supplier<Optional<ExecutorPool>> pool, ToLongFunction<ExecutorPool> value) {
    gauge("pool." + name, () -> pool.get().map(value::applyAsLong).orElse(0L));
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
