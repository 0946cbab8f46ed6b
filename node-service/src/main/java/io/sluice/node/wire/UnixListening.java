package io.sluice.node.wire;

import io.sluice.rdma.unix.UnixListener;
import java.io.IOException;

/**
 * A {@link Listener} whose peers can be sent descriptors, and whose users are known by number.
 *
 * <p>Thread contract, ownership, failure: those of {@link Listener}; it closes what it was given.
 */
public final class UnixListening implements Listener {
  private final UnixListener listener;

  /** Takes over a socket that listens. */
  public UnixListening(UnixListener listener) {
    this.listener = listener;
  }

  @Override
  public MessageStream accept() throws IOException {
    return UnixStream.accepted(listener.accept());
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
