package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The reads of a TCP connection that are not done: requests out, in turn, as many as may be on the
 * wire.
 *
 * <p>Requests are sent on the threads that ask, tasks that are being killed among them; what the
 * socket does not take, the turns of the responses send.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link #end} frees the buffer; the reads are
 * completed by others.
 */
final class TcpRequests {
  /**
   * Requests on the wire at once; further ones wait here. So few bytes that they fit into the
   * socket's buffers though the server be busy with responses; where they do not, a turn of the
   * reader sends the rest.
   */
  private static final int MAX_OUTSTANDING = 256;

  private final TcpLink link;
  private final Object lock = new Object();
  private final Map<Long, PendingRead> outstanding = new HashMap<>();
  private final Queue<PendingRead> waiting = new ArrayDeque<>();
  private final ByteBuffer request; // what of it is not sent yet
  private long nextRequestId;
  private boolean ended;

  TcpRequests(TcpLink link) {
    this.link = link;
    this.request = OffHeap.allocate(REQUEST_BYTES).limit(0);
  }

  /** False if the connection has ended. */
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
    } catch (IOException e) {
      link.giveUp("sending a request failed", e); // its last turn fails this read too
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

  /** Takes no more reads; said again, it changes nothing. */
  void end() {
    synchronized (lock) {
      if (!ended) {
        ended = true;
        OffHeap.free(request);
      }
    }
  }

  /**
   * Has each read that is not done failed, when no more are taken; if that throws, the next call
   * goes on with the read that it threw for. In the turns of the responses.
   */
  void failRest(Consumer<PendingRead> fail) {
    failEach(outstanding.values(), fail);
    failEach(waiting, fail);
  }

  private static void failEach(Collection<PendingRead> reads, Consumer<PendingRead> fail) {
    for (Iterator<PendingRead> rest = reads.iterator(); rest.hasNext(); rest.remove()) {
      fail.accept(rest.next());
    }
  }
}
