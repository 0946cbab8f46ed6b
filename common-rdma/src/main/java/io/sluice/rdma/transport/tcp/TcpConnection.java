package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientHoldings;
import io.sluice.rdma.transport.support.PendingRead;
import io.sluice.rdma.transport.support.ReadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The client's end of a TCP connection: requests out, from any thread.
 *
 * <p>Its sibling {@link TcpResponseReader} takes the responses in, on the connection's one thread,
 * and completes every read; so nothing is written to a destination after its read is done.
 *
 * <p>Requests are sent on the threads that ask, tasks that are being killed among them. The channel
 * does not block, because an interrupt closes one that does, for every task that reads from that
 * server.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link Connection}; the socket belongs
 * to the reader's thread, everyone else only shuts it down.
 */
final class TcpConnection implements Connection {
  /**
   * Requests on the wire at once; further ones wait here. So few bytes that they fit into the
   * socket's buffers though the server be busy with responses; where they do not, the reader's
   * thread sends the rest.
   */
  static final int MAX_OUTSTANDING = 256;

  private final ClientHoldings holdings;
  private final SocketChannel channel;
  private final InetSocketAddress remote;
  private final ReadFactory factory;
  private final TcpResponseReader responses;
  private final Object lock = new Object();
  private final Map<Long, PendingRead> outstanding = new HashMap<>();
  private final Queue<PendingRead> waiting = new ArrayDeque<>();
  private final ByteBuffer request; // what of it is not sent yet
  private long nextRequestId;
  private boolean ended;

  /** Takes the channel over, which must not block; {@link #start} is the next call. */
  TcpConnection(ClientHoldings holdings, SocketChannel channel, InetSocketAddress remote)
      throws IOException {
    this.holdings = holdings;
    this.channel = channel;
    this.remote = remote;
    this.factory = new ReadFactory(holdings, remote.toString());
    this.request = OffHeap.allocate(REQUEST_BYTES).limit(0);
    try {
      this.responses = TcpResponseReader.open(this, channel);
    } catch (IOException | RuntimeException | Error e) {
      OffHeap.free(request);
      throw e;
    }
  }

  void start() {
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
      read.startDeadline(holdings.deadlines(), () -> responses.giveUpFor(read));
      if (!submit(read)) {
        responses.failAsLost(read);
      }
    }
    return read.future();
  }

  /** False if the connection has ended. */
  private boolean submit(PendingRead read) {
    synchronized (lock) {
      if (ended) {
        return false;
      }
      waiting.add(read);
      sendWaiting();
      return true;
    }
  }

  private void sendWaiting() {
    try {
      while (request.hasRemaining() || prepareNext()) {
        if (channel.write(request) == 0) {
          responses.sendWhenWritable();
          return;
        }
      }
    } catch (IOException e) {
      responses.giveUp("sending a request failed", e); // its thread fails this read too
    }
  }

  private boolean prepareNext() {
    if (outstanding.size() == MAX_OUTSTANDING || waiting.isEmpty()) {
      return false;
    }
    PendingRead read = waiting.remove();
    long requestId = nextRequestId++;
    outstanding.put(requestId, read);
    request.clear();
    request.putLong(requestId).putLong(read.remote().regionId()).putLong(read.remote().key());
    request.putLong(read.remoteOffsetBytes()).putInt(read.lengthBytes()).flip();
    return true;
  }

  /** The socket takes bytes again. */
  void writable() {
    synchronized (lock) {
      sendWaiting();
    }
  }

  /** The read a response belongs to, or null. */
  PendingRead find(long requestId) {
    synchronized (lock) {
      return outstanding.get(requestId);
    }
  }

  /** A response is complete: its place goes to the next read that waits. */
  void answered(long requestId) {
    synchronized (lock) {
      outstanding.remove(requestId);
      sendWaiting();
    }
  }

  /** Takes no more reads, and hands over those that are not done. */
  List<PendingRead> end() {
    List<PendingRead> unfinished;
    synchronized (lock) {
      ended = true;
      unfinished = new ArrayList<>(outstanding.values());
      unfinished.addAll(waiting);
      outstanding.clear();
      waiting.clear();
      OffHeap.free(request);
    }
    holdings.meter().connectionClosed();
    return unfinished;
  }

  /** Every read is done and the socket closed. */
  void ended() {
    holdings.ended(this);
  }

  InetSocketAddress remote() {
    return remote;
  }

  @Override
  public boolean isOpen() {
    return responses.isRunning();
  }

  @Override
  public void close() {
    responses.giveUp("closed by this side", null);
    responses.awaitEnd();
  }

  @Override
  public String toString() {
    return "tcp connection to " + remote;
  }
}
