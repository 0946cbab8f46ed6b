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

  /**
   * The peer could not be reached, refused, or is not what was expected; try again or elsewhere.
   */
  public static final class ConnectFailedException extends TransportException {
    private static final long serialVersionUID = 1L;

    private final boolean later;

    public ConnectFailedException(String message) {
      super(message);
      this.later = false;
    }

    public ConnectFailedException(String message, Throwable cause) {
      this(message, cause, false);
    }

    /**
     * @param later whether the peer is there and hung up before it let this side in, or said that
     *     it has no place: it is worth asking for another ticket
     */
    public ConnectFailedException(String message, Throwable cause, boolean later) {
      super(message, cause);
      this.later = later;
    }

    /** Whether nothing is wrong with the peer, so that it may be asked again later. */
    public boolean isLater() {
      return later;
    }
  }

  /** The connection ended before the read was complete; nothing of it may be used. */
  public static final class ConnectionLostException extends TransportException {
    private static final long serialVersionUID = 1L;

    public ConnectionLostException(String message) {
      super(message);
    }

    public ConnectionLostException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A read missed its deadline; the connection was given up with it. */
  public static final class ReadTimeoutException extends TransportException {
    private static final long serialVersionUID = 1L;

    public ReadTimeoutException(String message) {
      super(message);
    }

    public ReadTimeoutException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Memory could not be registered; the message names the limit and the knob that raises it. */
  public static final class RegistrationException extends TransportException {
    private static final long serialVersionUID = 1L;

    public RegistrationException(String message) {
      super(message);
    }

    public RegistrationException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The peer refused a read: unknown or deregistered region, wrong key, or out of range. */
  public static final class RemoteAccessException extends TransportException {
    private static final long serialVersionUID = 1L;

    public RemoteAccessException(String message) {
      super(message);
    }

    public RemoteAccessException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
