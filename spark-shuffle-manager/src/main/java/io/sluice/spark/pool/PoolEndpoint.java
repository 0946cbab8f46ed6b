package io.sluice.spark.pool;

import io.sluice.node.wire.NodeAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/**
 * Where the pool of an executor's outputs is served, written into the topology of the address under
 * which they are registered: that reaches every reader with the map statuses, and needs no class of
 * ours on the driver.
 *
 * <pre>
 * sluice:PORT               of the executor itself
 * sluice-service:PORT@HOST  of its node's service; without HOST, at the executor's
 * </pre>
 */
public final class PoolEndpoint {
  private static final String PREFIX = "sluice:";
  private static final String SERVICE_PREFIX = "sluice-service:";
  private static final char AT = '@';

  private PoolEndpoint() {}

  /** The executor's own address, with the port at which its pool is served. */
  public static BlockManagerId withPort(BlockManagerId executor, int controlPort) {
    return withTopology(executor, PREFIX + controlPort);
  }

  /** The executor's own address, with where its node's service is; the host may be empty. */
  public static BlockManagerId withService(BlockManagerId executor, String host, int controlPort) {
    return withTopology(executor, SERVICE_PREFIX + controlPort + AT + host);
  }

  private static BlockManagerId withTopology(BlockManagerId executor, String topology) {
    return BlockManagerId.apply(
        executor.executorId(), executor.host(), executor.port(), Option.apply(topology));
  }

  /** Where the pool of outputs that are registered there is; empty if they are in none. */
  public static Optional<NodeAddress> of(BlockManagerId location) {
    Optional<NodeAddress> service = ofService(location);
    String topology = topology(location);
    if (service.isPresent() || !topology.startsWith(PREFIX)) {
      return service;
    }
    int port = Integer.parseInt(topology.substring(PREFIX.length()));
    String name = "executor " + location.executorId() + " on " + location.host();
    return Optional.of(new NodeAddress(name, new InetSocketAddress(location.host(), port)));
  }

  /** The node's service that has the outputs that are registered there; empty if none has. */
  public static Optional<NodeAddress> ofService(BlockManagerId location) {
    String topology = topology(location);
    if (!topology.startsWith(SERVICE_PREFIX)) {
      return Optional.empty();
    }
    int at = topology.indexOf(AT);
    int port = Integer.parseInt(topology.substring(SERVICE_PREFIX.length(), at));
    String named = topology.substring(at + 1);
    String host = named.isEmpty() ? location.host() : named;
    return Optional.of(NodeAddress.ofService(host, port));
  }

  private static String topology(BlockManagerId location) {
    return location.topologyInfo().isEmpty() ? "" : location.topologyInfo().get();
  }
}
