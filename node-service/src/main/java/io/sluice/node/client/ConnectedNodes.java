package io.sluice.node.client;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bounds the nodes that a reader keeps control connections to. Each costs open files here and a
 * place at the node, and a reducer of a large cluster asks thousands of nodes within seconds.
 *
 * <p>When one node more is asked, the one that was asked longest ago ends those on which nothing is
 * asked now. Data connections are not counted here: {@link LinkLimit} bounds those.
 *
 * <p>Thread contract: safe from any thread. Ownership: the nodes stay their owner's.
 */
final class ConnectedNodes {
  private final int most;
  private final Set<RemoteNode> asked = new LinkedHashSet<>(); // longest ago first

  /** With none yet, and at most so many. */
  ConnectedNodes(int most) {
    this.most = most;
  }

  /** A node is about to be asked, which may connect to it. */
  void asks(RemoteNode node) {
    RemoteNode longestAgo = null;
    synchronized (this) {
      asked.remove(node);
      asked.add(node);
      if (asked.size() > most) {
        Iterator<RemoteNode> each = asked.iterator();
        longestAgo = each.next();
        each.remove();
      }
    }
    if (longestAgo != null) {
      longestAgo.endKept();
    }
  }

  /** A node has no connection, and is not asked. */
  synchronized void forget(RemoteNode node) {
    asked.remove(node);
  }

  /** How many there are. */
  synchronized int count() {
    return asked.size();
  }
}
