package io.sluice.node.client;

import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that one reader has asked. One that was not asked for long and has no connection is
 * kept only as long as a run that was located there: an application that runs for days reads from
 * any number of executors that are gone. A run may ask such a node again, which is then kept: its
 * connections must be ended although the run goes.
 *
 * <p>Thread contract: safe from any thread. Ownership: closes the nodes.
 */
final class KnownNodes implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(KnownNodes.class);

  /** Which transports were given up for a node is known for so long at least. */
  static final long FORGOTTEN_AFTER_NS = TimeUnit.HOURS.toNanos(1);

  private final Function<NodeAddress, RemoteNode> opener;
  private final ConnectedNodes connected;
  private final Map<NodeAddress, Known> kept = new HashMap<>();
  private final Map<NodeAddress, WeakReference<RemoteNode>> forgotten = new HashMap<>();
  private boolean closed;

  /** With when it was asked for last. */
  private record Known(RemoteNode node, long askedNs) {}

  /**
   * Knows none yet.
   *
   * @param opener makes a node without a connection
   * @param mostConnected how many have control connections at a time, but for those that are being
   *     asked
   */
  KnownNodes(Function<NodeAddress, RemoteNode> opener, int mostConnected) {
    this.opener = opener;
    this.connected = new ConnectedNodes(mostConnected);
  }

  /**
   * The node there, which is about to be asked. It is kept before it connects.
   *
   * @throws IOException if this is closed
   */
  RemoteNode at(NodeAddress address, long nowNs) throws IOException {
    RemoteNode node = keep(address, nowNs);
    connected.asks(node); // under no lock: it may end connections
    return node;
  }

  private synchronized RemoteNode keep(NodeAddress address, long nowNs) throws IOException {
    if (closed) {
      throw new IOException("this reader is closed"); // nobody would close the node
    }
    Known known = kept.get(address);
    RemoteNode node = known == null ? remembered(address) : known.node();
    if (node == null) {
      node = opener.apply(address);
    }
    kept.put(address, new Known(node, nowNs));
    return node;
  }

  /** One that a run still reads from, or null. */
  private RemoteNode remembered(NodeAddress address) {
    WeakReference<RemoteNode> reference = forgotten.remove(address);
    return reference == null ? null : reference.get();
  }

  /**
   * Ends connections that were not used lately, and forgets nodes. A node whose connections do not
   * end as they should keeps no other node's open.
   */
  void tidy(long nowNs) {
    Set<RemoteNode> inUse = new HashSet<>();
    List<RemoteNode> all = all();
    for (RemoteNode node : all) { // under no lock: it may be connecting
      try {
        node.closeIdle();
      } catch (RuntimeException e) {
        LOG.warn("Ending the idle connections to {} failed", node.name(), e);
      }
      if (node.isConnected()) {
        inUse.add(node);
      }
    }
    synchronized (this) {
      forgotten.values().removeIf(reference -> reference.get() == null);
      for (RemoteNode node : all) {
        if (inUse.contains(node)) { // by a run that was located long ago, say
          forgotten.remove(node.address());
          kept.putIfAbsent(node.address(), new Known(node, nowNs));
        } else {
          forget(node, nowNs);
        }
      }
    }
  }

  private void forget(RemoteNode node, long nowNs) {
    Known known = kept.get(node.address());
    if (known != null && nowNs - known.askedNs() > FORGOTTEN_AFTER_NS) {
      kept.remove(node.address());
      connected.forget(node);
      forgotten.put(node.address(), new WeakReference<>(node));
    }
  }

  /** Those that are kept, and those that somebody else keeps. */
  private synchronized List<RemoteNode> all() {
    List<RemoteNode> all = kept();
    for (WeakReference<RemoteNode> reference : forgotten.values()) {
      RemoteNode node = reference.get();
      if (node != null) {
        all.add(node);
      }
    }
    return all;
  }

  /** How many may have control connections. */
  int connected() {
    return connected.count();
  }

  /** Those that are kept whether or not anybody reads from them. */
  synchronized List<RemoteNode> kept() {
    List<RemoteNode> all = new ArrayList<>();
    kept.values().forEach(known -> all.add(known.node()));
    return all;
  }

  @Override
  public void close() throws IOException {
    List<RemoteNode> all;
    synchronized (this) {
      closed = true;
      all = all();
    }
    Closer.all(all.stream().map(node -> (Closeable) node::close).toList());
  }

  /**
   * Bounds the nodes that a reader keeps control connections to. Each costs open files here and a
   * place at the node, and a reducer of a large cluster asks thousands of nodes within seconds.
   *
   * <p>When one node more is asked, the one that was asked longest ago ends those on which nothing
   * is asked now. Data connections are not counted here: {@link LinkLimit} bounds those.
   *
   * <p>Thread contract: safe from any thread. Ownership: the nodes stay their owner's.
   */
  static final class ConnectedNodes {
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
}
