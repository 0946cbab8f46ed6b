package io.sluice.rdma.transport;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A peer that accepts connections and then answers no read, for tests of deadlines and loss. */
public interface SilentServer extends AutoCloseable {
  /** Where to connect. */
  InetSocketAddress address();

  /** A region it pretends to serve. */
  RegionDescriptor descriptor();

  /** Called when the client has connected; from now on nothing is answered. */
  default void fallSilent() {}

  /** Dies: connections to it break. */
  @Override
  void close() throws IOException;
}
