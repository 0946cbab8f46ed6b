package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * The outstanding reads of a TCP connection; sends their requests in order, up to the limit on the
 * wire.
 *
 * <p>The callers' threads send requests, even threads of killed tasks. If the socket takes only a
 * part, the turns of {@link TcpResponseReader} send the rest.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link #end} frees the buffer; the response
 * reader completes the reads.
 */
final class TcpRequests {
  /**
   * The most requests on the wire; further ones wait here. They are so few bytes that they normally
   * fit into the socket's buffers even while the server is busy with responses. If they do not, a
   * turn of the reader sends the rest.
   */
  private static final int MAX_OUTSTANDING = 256;

  private final TcpLink link;
  private final Object lock = new Object();
  private final Map<Long, PendingRead> outstanding = new HashMap<>();
  private final Queue<PendingRead> waiting =
      new LinkedList<>(); // an ArrayDeque that has no memory to grow loses what is in it
  private final ByteBuffer request; // the rest that is not sent yet
  private long nextRequestId;
  private boolean ended;

  TcpRequests(TcpLink link) {
    this.link = link;
    this.request = OffHeap.allocate(REQUEST_BYTES).limit(0);
  }

  /** False if the connection has ended. Throws only before the read waits to be sent. */
  boolean submit(PendingRead read) {
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
        if (link.write(request) == 0) {
          link.sendWhenWritable();
          return;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      link.giveUp("sending a request failed", e); // its last turn fails the reads
    }
  }

  private boolean prepareNext() {
    if (outstanding.size() == MAX_OUTSTANDING || waiting.isEmpty()) {
      return false;
    }
    PendingRead read = waiting.element();
    long requestId = nextRequestId++;
    outstanding.put(requestId, read); // first, so that it is always in one of them
    waiting.remove();
    request.clear();
    request.putLong(requestId).putLong(read.remote().regionId()).putLong(read.remote().key());
    request.putLong(read.remoteOffsetBytes()).putInt(read.lengthBytes()).flip();
    return true;
  }

  /** Called when the socket takes bytes again. */
  void writable() {
    synchronized (lock) {
      sendWaiting();
    }
  }

  /** The read that a response answers, or null. */
  PendingRead find(long requestId) {
    synchronized (lock) {
      return outstanding.get(requestId);
    }
  }

  /** Called when a response is complete: the next waiting read is sent. */
  void answered(long requestId) {
    synchronized (lock) {
      outstanding.remove(requestId);
      sendWaiting();
    }
  }

  /** Accepts no more reads, and returns the outstanding ones; again, if memory was short. */
  List<PendingRead> end() {
    synchronized (lock) {
      ended = true;
      List<PendingRead> unfinished = new ArrayList<>(outstanding.values());
      unfinished.addAll(waiting);
      outstanding.clear();
      waiting.clear();
      OffHeap.free(request);
      return unfinished;
    }
  }
}
