package io.sluice.node.wire;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;

/**
 * A {@link Listener} over a bound channel of the JDK, TCP or Unix.
 *
 * <p>Thread contract, ownership, failure: those of {@link Listener}; it closes the channel.
 */
public final class JdkListener implements Listener {
  private final ServerSocketChannel channel;

  /** Takes over a bound channel. */
  public JdkListener(ServerSocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public MessageStream accept() throws IOException {
    return DeadlineChannel.accepted(channel.accept());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
