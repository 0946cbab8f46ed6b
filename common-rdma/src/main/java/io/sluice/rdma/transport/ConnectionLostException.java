package io.sluice.rdma.transport;

/** The connection ended before the read was complete; nothing of it may be used. */
public final class ConnectionLostException extends TransportException {
  private static final long serialVersionUID = 1L;

  public ConnectionLostException(String message) {
    super(message);
  }

  public ConnectionLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
