package io.sluice.node.wire;

import java.io.IOException;

/** The peer has broken the protocol; the connection cannot be used any further. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With the actual and the expected value. */
  public ProtocolException(String message) {
    super(message);
  }
}
