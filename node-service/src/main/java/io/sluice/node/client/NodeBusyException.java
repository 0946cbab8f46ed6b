package io.sluice.node.client;

import io.sluice.rdma.transport.TransportException;

/**
 * A node's service has as many connections as it takes, or no memory for an answer now: retry
 * later. The node, its outputs and the transport work. The message says what the service lacks.
 *
 * <p>Differs from {@link FetchFailedException} in that no output may be blamed for it.
 */
public final class NodeBusyException extends TransportException {
  private static final long serialVersionUID = 1L;

  NodeBusyException(String message, Throwable cause) {
    super(message, cause);
  }
}
