package io.sluice.node.wire;

import java.io.IOException;

/** The peer sent what the protocol does not allow; the connection cannot be used any further. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what came and what was expected. */
  public ProtocolException(String message) {
    super(message);
  }
}
