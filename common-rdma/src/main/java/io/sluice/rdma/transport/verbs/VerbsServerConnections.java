package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * The connections of one server endpoint that have shown their tickets, until they end. Others at
 * the same {@link VerbsListener} go on when these end.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoint ends them, before it takes away
 * what their queue pairs use.
 */
final class VerbsServerConnections {
  private static final long END_LIMIT_MS = 10_000;

  private final Set<VerbsServerConnection> all = new HashSet<>(); // under this
  private boolean ending; // under this

  /**
   * Adds a connection that has no queue pair yet.
   *
   * @return false if all of them end, and this one must
   */
  synchronized boolean add(VerbsServerConnection connection) {
    if (!ending) {
      all.add(connection);
    }
    return !ending;
  }

  /** Removes a connection that has ended. */
  synchronized void remove(VerbsServerConnection connection) {
    all.remove(connection);
    notifyAll();
  }

  /**
   * Ends all of them, and returns when the listener's thread has done so.
   *
   * @throws IllegalStateException if it does not in time
   */
  synchronized void end() {
    ending = true;
    all.forEach(VerbsServerConnection::shutdown);
    if (!Uninterruptibly.await(this, all::isEmpty, END_LIMIT_MS)) {
      throw new IllegalStateException(
          "verbs: connections did not end within " + END_LIMIT_MS + " ms of being closed");
    }
  }

  /** Whether no connection uses anything of the endpoint any more. */
  synchronized boolean haveEnded() {
    return ending && all.isEmpty();
  }

  /** For tests: the reads of their clients are lost from now on. */
  synchronized void destroyPairs() throws IOException {
    for (VerbsServerConnection connection : all) {
      connection.destroyPair();
    }
  }
}
