package io.sluice.node.client;

import io.sluice.rdma.transport.TransportException;

/**
 * A run lies in a segment that no answer has located: the run has moved meanwhile, or the service
 * is wrong. No transport is to blame.
 */
final class StaleLocationException extends TransportException {
  private static final long serialVersionUID = 1L;

  StaleLocationException(String message) {
    super(message);
  }
}
