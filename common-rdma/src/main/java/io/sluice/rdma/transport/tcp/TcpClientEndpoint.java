package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The reading side over TCP: connections, the threads that receive for them, and the timer of their
 * deadlines.
 *
 * <p>Registration costs nothing here and pins nothing; it exists so that callers work with all
 * providers. Thread contract: safe from any thread. Ownership: the caller closes it.
 */
final class TcpClientEndpoint extends ClientEndpointBase {
  /**
   * The least number of receiving threads, also on few processors: among many busy threads, two get
   * little time.
   */
  private static final int MOST_LOOPS = 8;

  private final TcpReadLoops loops;

  TcpClientEndpoint() {
    this(MOST_LOOPS);
  }

  /** Opens an endpoint with at most this many receiving threads. */
  TcpClientEndpoint(int mostLoops) {
    super(TransportNames.TCP);
    loops = new TcpReadLoops(mostLoops, resources().deadlines());
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    requireOpen();
    return resources().registered(new TcpRegisteredBuffer(resources(), direct));
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    requireOpen();
    TcpConnection connection =
        resources().began(TcpConnector.connect(resources(), loops, remote, ticket, timeoutMs));
    resources().meter().connectionOpened();
    try {
      connection.start();
    } catch (IOException | RuntimeException e) {
      throw new ConnectFailedException(
          "tcp: cannot receive from " + remote + ": " + ErrorText.of(e), e);
    }
    if (isClosed()) {
      connection.close();
      throw new ConnectFailedException("tcp: the client endpoint was closed while connecting");
    }
    return connection;
  }

  @Override
  protected void closeRest() {
    loops.close();
  }

  /** A buffer of a TCP client; it only records its endpoint. */
  static final class TcpRegisteredBuffer extends EndpointBuffer {
    TcpRegisteredBuffer(ClientResources resources, ByteBuffer direct) {
      super(resources, direct);
    }

    @Override
    protected void release() {
      resources().deregistered(this);
    }
  }
}
