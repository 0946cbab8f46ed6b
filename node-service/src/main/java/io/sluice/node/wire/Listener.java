package io.sluice.node.wire;

import io.sluice.rdma.unix.UnixListener;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;

/**
 * A socket at which peers arrive.
 *
 * <p>Thread contract: one thread accepts; {@link #close} may come from another and ends its wait.
 * Ownership: an {@link Acceptor} closes the one that it was given. Failure: {@link IOException};
 * the next accept may succeed, unless it is closed.
 */
public interface Listener extends Closeable {
  /** Waits for the next peer; the caller closes the stream. */
  MessageStream accept() throws IOException;

  /** Over a bound channel of the JDK, TCP or Unix, which it closes. */
  record OfChannel(ServerSocketChannel channel) implements Listener {
    @Override
    public MessageStream accept() throws IOException {
      return DeadlineChannel.accepted(channel.accept());
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /**
   * Over a socket of system calls, which it closes: its peers can be sent descriptors, and their
   * users are known by number.
   */
  record OfSocket(UnixListener listener) implements Listener {
    @Override
    public MessageStream accept() throws IOException {
      return UnixStream.accepted(listener.accept());
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
