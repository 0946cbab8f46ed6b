package io.sluice.spark.pool;

import io.sluice.node.wire.NodeAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/**
 * The address of the pool that holds an executor's outputs. It is written into the topology field
 * of the block manager's address, under which outputs are registered. So map statuses carry it to
 * every reader, and the driver needs no class of Sluice.
 *
 * <pre>
 * sluice:PORT               pool of the executor itself
 * sluice-service:PORT@HOST  pool of its node's service; without HOST, on the executor's host
 * </pre>
 */
public final class PoolEndpoint {
  private static final String PREFIX = "sluice:";
  private static final String SERVICE_PREFIX = "sluice-service:";
  private static final char AT = '@';

  private PoolEndpoint() {}

  /** The executor's address, with the port of its pool. */
  public static BlockManagerId withPort(BlockManagerId executor, int controlPort) {
    return withTopology(executor, PREFIX + controlPort);
  }

  /** The executor's address, with the address of its node's service; the host may be empty. */
  public static BlockManagerId withService(BlockManagerId executor, String host, int controlPort) {
    return withTopology(executor, SERVICE_PREFIX + controlPort + AT + host);
  }

  private static BlockManagerId withTopology(BlockManagerId executor, String topology) {
    return BlockManagerId.apply(
        executor.executorId(), executor.host(), executor.port(), Option.apply(topology));
  }

  /** The pool of the outputs that are registered at this address; empty if they are in no pool. */
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

  /** The node's service that holds the outputs registered at this address; empty if none does. */
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
