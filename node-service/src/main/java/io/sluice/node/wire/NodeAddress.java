package io.sluice.node.wire;

import java.net.InetSocketAddress;

/**
 * Where a node service can be asked.
 *
 * @param name how messages call the node
 * @param control its control port
 */
public record NodeAddress(String name, InetSocketAddress control) {}
