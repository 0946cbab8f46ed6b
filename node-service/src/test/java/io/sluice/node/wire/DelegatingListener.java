package io.sluice.node.wire;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A listener that is another one, for subclasses that misbehave. */
class DelegatingListener extends ServerSocketChannel {
  private final ServerSocketChannel delegate;

  DelegatingListener(ServerSocketChannel delegate) {
    super(delegate.provider());
    this.delegate = delegate;
  }

  @Override
  public SocketChannel accept() throws IOException {
    return delegate.accept();
  }

  @Override
  public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
    return delegate.bind(local, backlog);
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    return delegate.setOption(name, value);
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return delegate.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return delegate.supportedOptions();
  }

  @Override
  public ServerSocket socket() {
    return delegate.socket();
  }

  @Override
  public SocketAddress getLocalAddress() throws IOException {
    return delegate.getLocalAddress();
  }

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    delegate.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    delegate.configureBlocking(block);
  }
}
