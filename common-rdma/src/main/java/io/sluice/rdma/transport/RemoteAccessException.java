package io.sluice.rdma.transport;

/** The peer refused a read: unknown or deregistered region, wrong key, or out of range. */
public final class RemoteAccessException extends TransportException {
  private static final long serialVersionUID = 1L;

  public RemoteAccessException(String message) {
    super(message);
  }

  public RemoteAccessException(String message, Throwable cause) {
    super(message, cause);
  }
}
