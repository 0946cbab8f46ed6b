package io.sluice.rdma.transport;

/** The peer could not be reached, refused, or is not what was expected; try again or elsewhere. */
public final class ConnectFailedException extends TransportException {
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
   * @param later whether the peer is there and hung up before it let this side in, or said that it
   *     has no place: it is worth asking for another ticket
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
