package io.sluice.rdma.transport;

/** The peer could not be reached, refused, or is not what was expected; try again or elsewhere. */
public final class ConnectFailedException extends TransportException {
  private static final long serialVersionUID = 1L;

  public ConnectFailedException(String message) {
    super(message);
  }

  public ConnectFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
