package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.ReadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The client's end of a TCP connection, for callers on any thread.
 *
 * <p>{@link TcpRequests} sends requests on the callers' threads. {@link TcpResponseReader} receives
 * the responses in its turns on one of the endpoint's few threads. It also completes all reads, so
 * no destination is written after its read is done.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}. Only the response
 * reader closes the socket; other threads shut it down.
 */
final class TcpConnection implements Connection {
  private final TcpLink link;
  private final TcpRequests requests;
  private final TcpResponseReader responses;
  private final ReadFactory factory;

  private TcpConnection(ClientResources resources, TcpLink link, TcpRequests requests) {
    this.link = link;
    this.requests = requests;
    this.factory =
        new ReadFactory(resources, link.remote().toString(), this::submit, link::giveUpFor);
    this.responses =
        new TcpResponseReader(link, requests, resources.meter(), () -> resources.ended(this));
  }

  /**
   * Takes over the channel, which must be non-blocking; if that fails, the caller still owns it.
   * {@link #start} must be the next call.
   */
  static TcpConnection open(
      ClientResources resources,
      TcpReadLoop loop,
      SocketChannel channel,
      InetSocketAddress remote) {
    TcpLink link = new TcpLink(channel, remote, loop);
    TcpRequests requests = new TcpRequests(link);
    try {
      return new TcpConnection(resources, link, requests);
    } catch (RuntimeException | Error e) { // mostly for want of memory
      requests.end();
      throw e;
    }
  }

  /**
   * Starts to receive.
   *
   * @throws IOException if it cannot; the connection has ended then
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
    return factory.start(
        region, remoteOffsetBytes, destination, destinationOffsetBytes, lengthBytes, timeoutMs);
  }

  private void submit(PendingRead read) {
    if (!requests.submit(read)) {
      link.failAsLost(read);
    }
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
