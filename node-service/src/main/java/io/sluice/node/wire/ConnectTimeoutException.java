package io.sluice.node.wire;

import java.net.SocketTimeoutException;

/**
 * A host has neither taken nor refused a connection in time: it is down, or a firewall drops what
 * is sent to it. Differs from other timeouts in that no slow process listens there.
 */
public final class ConnectTimeoutException extends SocketTimeoutException {
  private static final long serialVersionUID = 1L;

  ConnectTimeoutException(String message) {
    super(message);
  }
}
