package io.sluice.rdma.transport;

import java.io.IOException;

/**
 * A transport could not do what it was asked; the message says what, where, and what to do.
 *
 * <p>The subclasses are what a caller may want to treat differently.
 */
public class TransportException extends IOException {
  private static final long serialVersionUID = 1L;

  public TransportException(String message) {
    super(message);
  }

  public TransportException(String message, Throwable cause) {
    super(message, cause);
  }
}
