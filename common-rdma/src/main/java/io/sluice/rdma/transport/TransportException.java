package io.sluice.rdma.transport;

import java.io.IOException;

/**
 * A transport failed; the message says what failed, where, and what to do.
 *
 * <p>The nested subclasses are the failures that a caller may treat differently.
 */
public class TransportException extends IOException {
  private static final long serialVersionUID = 1L;

  public TransportException(String message) {
    super(message);
  }

  public TransportException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The peer cannot be reached, refuses, or is no Sluice endpoint; try again or read elsewhere. */
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
     * @param later whether the peer works, but closed the connection before it admitted this side,
     *     or has no free place: another ticket may help
     */
    public ConnectFailedException(String message, Throwable cause, boolean later) {
      super(message, cause);
      this.later = later;
    }

    /** Whether the peer works, so that a later attempt may succeed. */
    public boolean isLater() {
      return later;
    }
  }

  /** The connection ended before the read was complete; none of the bytes may be used. */
  public static final class ConnectionLostException extends TransportException {
    private static final long serialVersionUID = 1L;

    public ConnectionLostException(String message) {
      super(message);
    }

    public ConnectionLostException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A read missed its deadline; its connection was closed. */
  public static final class ReadTimeoutException extends TransportException {
    private static final long serialVersionUID = 1L;

    public ReadTimeoutException(String message) {
      super(message);
    }

    public ReadTimeoutException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Memory could not be registered; the message names the limit and the setting that raises it. */
  public static final class RegistrationException extends TransportException {
    private static final long serialVersionUID = 1L;

    public RegistrationException(String message) {
      super(message);
    }

    public RegistrationException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The peer refused a read: the region is unknown or deregistered, the key is wrong, or the range
   * is outside the region.
   */
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
