package io.sluice.node.client;

import io.sluice.rdma.transport.TransportException;

/**
 * A node has no free bounce slot now; nothing is wrong with the transport, the connection holds.
 */
final class BounceBusyException extends TransportException {
  private static final long serialVersionUID = 1L;

  BounceBusyException(String message, Throwable cause) {
    super(message, cause);
  }
}
