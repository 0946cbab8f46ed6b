package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.support.Deadlines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The few threads of a client endpoint that receive for all its connections. There are several,
 * because one core is too slow for a fast network.
 *
 * <p>Each has two open files, and starts with its first connection. Thread contract: safe from any
 * thread. Ownership: the endpoint closes it, before the timer of its deadlines.
 */
final class TcpReadLoops {
  /** How long a callback of a read may take before another thread takes over. */
  private static final long WATCH_MS = 1_000;

  private final int most;
  private final Deadlines deadlines;
  private final List<TcpReadLoop> loops; // has its full capacity, so that adding allocates nothing
  private boolean watched;
  private boolean closed;

  /** Starts no thread yet, and later at most this many. */
  TcpReadLoops(int most, Deadlines deadlines) {
    this.most = most;
    this.deadlines = deadlines;
    this.loops = new ArrayList<>(most);
  }

  /**
   * Returns the loop for the next connection: a new one if another may be started, else the one
   * with the fewest connections.
   *
   * @throws IOException if there is none and none can be started, or if this is closed
   */
  synchronized TcpReadLoop next() throws IOException {
    if (closed) {
      throw new IOException("the client endpoint is closed");
    }
    loops.removeIf(TcpReadLoop::hasEnded);
    TcpReadLoop idlest = null;
    for (TcpReadLoop loop : loops) {
      if (idlest == null || loop.members() < idlest.members()) {
        idlest = loop;
      }
    }
    if (idlest == null || (idlest.members() > 0 && loops.size() < most)) {
      idlest = another(idlest);
    }
    if (!watched) {
      deadlines.every(WATCH_MS, this::watch);
      watched = true;
    }
    return idlest;
  }

  private TcpReadLoop another(TcpReadLoop instead) throws IOException {
    try {
      TcpReadLoop another = TcpReadLoop.start("sluice-tcp-read-" + loops.size());
      loops.add(another);
      return another;
    } catch (IOException | OutOfMemoryError e) { // for want of descriptors or threads
      if (instead == null) {
        throw e;
      }
      return instead;
    }
  }

  private void watch() {
    started().forEach(TcpReadLoop::watch);
  }

  private synchronized List<TcpReadLoop> started() {
    return List.copyOf(loops);
  }

  /** Ends all threads and the remaining connections. */
  void close() {
    Stream<Runnable> ends;
    synchronized (this) {
      closed = true;
      ends = started().stream().map(loop -> loop::close);
    }
    Closer.all(ends);
  }
}
