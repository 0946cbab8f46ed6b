package io.sluice.node.client;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the nodes that a reader has data connections to, each of which costs open files.
 *
 * <p>When one node more is connected to, the one that nothing was read from for longest loses its
 * connections. A node that is being read from keeps them: there are no more of those than windows.
 * Differs from {@link KnownNodes.ConnectedNodes}, which bounds control connections, in that it asks
 * the nodes for their last use: telling it of each read would cost more than looking for it seldom
 * does.
 *
 * <p>Thread contract: safe from any thread. Ownership: the connections stay their node's.
 */
final class LinkLimit {
  private static final Logger LOG = LoggerFactory.getLogger(LinkLimit.class);

  private final int most;
  private final Set<Links> connected = new HashSet<>();

  /** The data connections to one node. */
  interface Links {
    /** For how long nothing was read over any of them; negative while something is. */
    long unusedNs(long nowNs);

    /** Ends those that nothing is read over now, and then says if none is left. */
    void closeUnused();
  }

  /** With none yet, and at most so many. */
  LinkLimit(int most) {
    this.most = most;
  }

  /** A node is about to be connected to. The caller holds its lock. */
  void connects(Links links) {
    Set<Links> passedOver = new HashSet<>(Set.of(links));
    for (Links unused = add(links, passedOver); unused != null; unused = add(links, passedOver)) {
      passedOver.add(unused);
      try {
        unused.closeUnused(); // under no lock of this: it waits for the end of a connection
      } catch (RuntimeException e) { // which is no fault of the node that is connected to
        LOG.warn("Ending the unused connections to a node failed", e);
      }
    }
  }

  /** Returns the node that must lose its connections for this one, or null. */
  private synchronized Links add(Links links, Set<Links> passedOver) {
    connected.add(links);
    if (connected.size() <= most) {
      return null;
    }
    Links longest = null;
    long longestNs = -1;
    long nowNs = System.nanoTime();
    for (Links other : connected) {
      long unusedNs = other.unusedNs(nowNs);
      if (unusedNs > longestNs && !passedOver.contains(other)) {
        longest = other;
        longestNs = unusedNs;
      }
    }
    return longest;
  }

  /** A node has no connection any more. */
  synchronized void disconnected(Links links) {
    connected.remove(links);
  }

  /** How many nodes have connections. */
  synchronized int count() {
    return connected.size();
  }
}
