package io.sluice.node.wire;

import java.net.InetSocketAddress;

/**
 * Where a node service can be asked.
 *
 * @param name how messages call the node
 * @param control its control port
 */
public record NodeAddress(String name, InetSocketAddress control) {
  /** That of the service of a node, called by the host. */
  public static NodeAddress ofService(String host, int controlPort) {
    return new NodeAddress("node service on " + host, new InetSocketAddress(host, controlPort));
  }
}
