package io.sluice.node.client;

import io.sluice.rdma.transport.TransportException;

/**
 * A node's service has as many connections as it takes, or no room for an answer now: come later.
 * Nothing is wrong with the node, with what it holds, or with the transport. The message says what
 * it lacks.
 *
 * <p>Differs from {@link FetchFailedException} in that no output may be blamed for it.
 */
public final class NodeBusyException extends TransportException {
  private static final long serialVersionUID = 1L;

  NodeBusyException(String message, Throwable cause) {
    super(message, cause);
  }
}
