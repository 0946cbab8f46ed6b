package io.sluice.rdma.transport;

/** A read missed its deadline; the connection was given up with it. */
public final class ReadTimeoutException extends TransportException {
  private static final long serialVersionUID = 1L;

  public ReadTimeoutException(String message) {
    super(message);
  }

  public ReadTimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
