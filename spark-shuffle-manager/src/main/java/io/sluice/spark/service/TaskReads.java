package io.sluice.spark.service;

import io.sluice.node.client.NodeRun;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The reads of one task in the pool of its node: the outputs that it announced, and its open
 * streams. Spark closes a stream that was read to its end. If a task stops earlier, the end of the
 * task closes its streams, which gives registered windows and mappings back.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link NodeReads} closes it when the task
 * ends. Failure: {@link IOException} for a stream that is opened after that.
 */
final class TaskReads implements Closeable {
  private final List<LocatePrefetch<NodeRun>> ahead = new CopyOnWriteArrayList<>();
  private final Set<LocatedBlock> open = new HashSet<>();
  private boolean closed;

  /** In the order in which the task announced them. */
  List<LocatePrefetch<NodeRun>> ahead() {
    return ahead;
  }

  /** Keeps a stream until it is read to its end or closed. */
  synchronized LocatedBlock open(LocatedBlock stream) throws IOException {
    if (closed) {
      throw new IOException("the task has ended, and opens no further block");
    }
    open.add(stream);
    stream.whenClosed(() -> forget(stream));
    return stream;
  }

  private synchronized void forget(LocatedBlock stream) {
    open.remove(stream);
  }

  /** How many streams are open. */
  synchronized int openStreams() {
    return open.size();
  }

  /** Closes what the former reader located and opened; the task goes on with another reader. */
  void closeStreams() throws IOException {
    ahead.clear();
    List<LocatedBlock> left;
    synchronized (this) {
      left = new ArrayList<>(open);
    }
    Closer.all(left);
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    closeStreams();
  }
}
