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
 * The reading side over TCP: its connections, the threads that receive for them, and the timer of
 * their deadlines.
 *
 * <p>Registration costs nothing here and pins nothing; it exists so that callers are written once.
 * Thread contract: safe from any thread. Ownership: the caller closes.
 */
final class TcpClientEndpoint extends ClientEndpointBase {
  /** However few processors there are: where many threads want them, two are given little. */
  private static final int MOST_LOOPS = 8;

  private final TcpReadLoops loops;

  TcpClientEndpoint() {
    this(MOST_LOOPS);
  }

  /** With at most so many threads that receive. */
  TcpClientEndpoint(int mostLoops) {
    super(TransportNames.TCP);
    loops = new TcpReadLoops(mostLoops, holdings().deadlines());
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    requireOpen();
    return holdings().registered(new TcpRegisteredBuffer(holdings(), direct));
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    requireOpen();
    TcpConnection connection =
        holdings().began(TcpConnector.connect(holdings(), loops, remote, ticket, timeoutMs));
    holdings().meter().connectionOpened();
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

  /** Landing memory of a TCP client: nothing but the note which endpoint it belongs to. */
  static final class TcpRegisteredBuffer extends EndpointBuffer {
    TcpRegisteredBuffer(ClientResources holdings, ByteBuffer direct) {
      super(holdings, direct);
    }

    @Override
    protected void release() {
      holdings().deregistered(this);
    }
  }
}
