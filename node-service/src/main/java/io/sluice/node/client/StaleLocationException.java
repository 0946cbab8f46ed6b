package io.sluice.node.client;

import io.sluice.rdma.transport.TransportException;

/**
 * A run was said to lie in a segment of which nobody said where that is: it lies elsewhere by now,
 * or the service is wrong. No transport is to blame.
 */
final class StaleLocationException extends TransportException {
  private static final long serialVersionUID = 1L;

  StaleLocationException(String message) {
    super(message);
  }
}
