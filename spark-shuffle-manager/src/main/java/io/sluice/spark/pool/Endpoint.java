package io.sluice.spark.pool;

import io.sluice.node.client.NodeAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/**
 * Where an executor's pool is served, written into the topology of the address under which its
 * outputs are registered: that reaches every reader with the map statuses, and needs no class of
 * ours on the driver.
 */
public final class Endpoint {
  private static final String PREFIX = "sluice:";

  private Endpoint() {}

  /** The executor's own address, with the port at which its pool is served. */
  public static BlockManagerId withPort(BlockManagerId executor, int controlPort) {
    return BlockManagerId.apply(
        executor.executorId(),
        executor.host(),
        executor.port(),
        Option.apply(PREFIX + controlPort));
  }

  /** Where the pool of an executor is; empty if it has none. */
  public static Optional<NodeAddress> of(BlockManagerId executor) {
    if (executor.topologyInfo().isEmpty() || !executor.topologyInfo().get().startsWith(PREFIX)) {
      return Optional.empty();
    }
    int port = Integer.parseInt(executor.topologyInfo().get().substring(PREFIX.length()));
    String name = "executor " + executor.executorId() + " on " + executor.host();
    return Optional.of(new NodeAddress(name, new InetSocketAddress(executor.host(), port)));
  }
}
