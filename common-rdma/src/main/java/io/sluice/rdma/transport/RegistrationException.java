package io.sluice.rdma.transport;

/** Memory could not be registered; the message names the limit and the knob that raises it. */
public final class RegistrationException extends TransportException {
  private static final long serialVersionUID = 1L;

  public RegistrationException(String message) {
    super(message);
  }

  public RegistrationException(String message, Throwable cause) {
    super(message, cause);
  }
}
