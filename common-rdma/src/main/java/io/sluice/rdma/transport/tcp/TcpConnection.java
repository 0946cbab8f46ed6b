package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.PendingRead.ReadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The client's end of a TCP connection, as callers see it from any thread.
 *
 * <p>{@link TcpRequests} go out on the threads that ask; {@link TcpResponseReader} takes the
 * responses in, in the turns that one of the endpoint's few threads gives it, and completes every
 * read, so nothing is written to a destination after its read is done.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}; the socket belongs
 * to the reader, everyone else only shuts it down.
 */
final class TcpConnection implements Connection {
  private final ClientResources holdings;
  private final TcpLink link;
  private final TcpRequests requests;
  private final TcpResponseReader responses;
  private final ReadFactory factory;

  private TcpConnection(ClientResources holdings, TcpLink link, TcpRequests requests) {
    this.holdings = holdings;
    this.link = link;
    this.requests = requests;
    this.factory = new ReadFactory(holdings, link.remote().toString());
    this.responses =
        new TcpResponseReader(link, requests, holdings.meter(), () -> holdings.ended(this));
  }

  /**
   * Takes the channel over, which must not block; if that fails, it is still the caller's. {@link
   * #start} is the next call.
   */
  static TcpConnection open(
      ClientResources holdings, TcpReadLoop loop, SocketChannel channel, InetSocketAddress remote) {
    TcpLink link = new TcpLink(channel, remote, loop);
    TcpRequests requests = new TcpRequests(link);
    try {
      return new TcpConnection(holdings, link, requests);
    } catch (RuntimeException | Error e) { // of memory, mostly
      requests.end();
      throw e;
    }
  }

  /**
   * Begins to receive.
   *
   * @throws IOException if it cannot: the connection has ended
   */
  void start() throws IOException {
    responses.start();
  }

  @Override
  public CompletableFuture<Void> read(
      RegionDescriptor region,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    PendingRead read =
        factory.open(
            region, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
    if (!read.failIfOutsideRegion()) {
      read.startDeadline(holdings.deadlines(), () -> link.giveUpFor(read));
      if (!requests.submit(read)) {
        link.failAsLost(read);
      }
    }
    return read.future();
  }

  @Override
  public boolean isOpen() {
    return link.isRunning();
  }

  @Override
  public void close() {
    link.giveUp("closed by this side", null);
    responses.awaitEnd();
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
