package io.sluice.node.wire;

import java.nio.file.Path;

/**
 * Where a node's service is, and how its pool is written.
 *
 * @param host at which other nodes reach it; empty if that is where its tasks and executors are
 * @param controlPort the TCP port for {@code io.sluice.node.remote}
 * @param socket the Unix socket for {@code io.sluice.node.socket}
 * @param medium how a task maps the pool's segments for writing
 */
public record ServiceAddress(String host, int controlPort, Path socket, String medium) {
  private static final String SOCKET_NAME = "control.sock";

  /** Where the service of a directory listens for the tasks of its node. */
  public static Path socketIn(Path directory) {
    return directory.resolve(SOCKET_NAME);
  }

  /** The same service, where other nodes reach it at this host. */
  public ServiceAddress at(String otherHost) {
    return new ServiceAddress(otherHost, controlPort, socket, medium);
  }

  /** Its address over TCP, for peers that reach its node at {@code localHost}. */
  public NodeAddress control(String localHost) {
    return NodeAddress.ofService(host.isEmpty() ? localHost : host, controlPort);
  }
}
