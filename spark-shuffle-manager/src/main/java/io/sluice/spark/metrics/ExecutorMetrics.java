package io.sluice.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.sluice.node.client.ReadStats;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.spill.store.StoreStats;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.spark.metrics.source.Source;

/**
 * The metrics of an executor: bytes written and read, and the state of its pool. The sinks of
 * {@code metrics.properties} get them as {@code sluice.pool.memory.usedBytes} and so on. The
 * metrics of the pool are 0 while the executor has none.
 *
 * <p>Thread contract: safe from any thread; Spark asks for none after the pool is closed.
 */
public final class ExecutorMetrics implements Source {
  private static final List<String> WAYS =
      Stream.concat(
              TransportNames.BEST_FIRST.stream(),
              Stream.of(ReadStats.INLINED, ShuffleCounters.OWN_POOL, ShuffleCounters.THROUGH_SPARK))
          .toList();

  private final MetricRegistry registry = new MetricRegistry();

  /**
   * Asks for each value anew.
   *
   * @param pool how full the pool is; empty before it is opened
   * @param writtenBytes bytes that tasks wrote to the pool
   */
  public ExecutorMetrics(
      Supplier<Optional<StoreStats>> pool, LongSupplier writtenBytes, ShuffleCounters counters) {
    ofPool("memory.capacityBytes", pool, stats -> stats.memory().capacityBytes());
    ofPool("memory.createdBytes", pool, stats -> stats.memory().createdBytes());
    ofPool("memory.segmentFailures", pool, StoreStats::segmentFailures);
    ofPool("memory.usedBytes", pool, stats -> stats.memory().usedBytes());
    ofPool("disk.failedDirectories", pool, StoreStats::failedDirectories);
    ofPool("disk.usedBytes", pool, stats -> stats.disk().usedBytes());
    gauge("pool.written.bytes", writtenBytes);
    ofPool("outputs", pool, StoreStats::outputs);
    gauge("service.written.bytes", counters::serviceBytes);
    for (String way : WAYS) {
      gauge("read." + way + ".bytes", () -> counters.bytesByWay().getOrDefault(way, 0L));
    }
    gauge("movedHere.bytes", counters::movedHereBytes);
    gauge("encrypted.bytes", () -> counters.cipher().encryptedBytes());
    gauge("decrypted.bytes", () -> counters.cipher().decryptedBytes());
    gauge("crypto.ms", () -> counters.cipher().ms());
    gauge(
        "fallbacks", () -> counters.fallbacks().values().stream().mapToLong(Long::longValue).sum());
  }

  private void ofPool(
      String name, Supplier<Optional<StoreStats>> pool, ToLongFunction<StoreStats> value) {
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
