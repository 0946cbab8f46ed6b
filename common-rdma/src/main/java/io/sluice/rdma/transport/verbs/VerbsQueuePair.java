package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.security.SecureRandom;

/**
 * A reliable queue pair at a port, from its creation to its connection and its end.
 *
 * <p>Thread contract: safe from any thread. Ownership: the connection's end that created it
 * destroys it, before its completion queue.
 */
final class VerbsQueuePair {
  /** The least that a queue pair may serve or issue, for the side that does not. */
  static final int NO_READS = 1;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Verbs verbs;
  private final VerbsPort port;
  private final long pair;
  private final int access;
  private final int psn = RANDOM.nextInt(QueuePairAddress.MAX_NUMBER + 1);
  private boolean failed; // guarded by this
  private boolean destroyed; // guarded by this

  private VerbsQueuePair(VerbsPort port, long pair, int access) {
    this.verbs = port.device().verbs();
    this.port = port;
    this.pair = pair;
    this.access = access;
  }

  /**
   * Creates a queue pair in state RESET.
   *
   * @param domain a domain of the port's device
   * @param requests how many reads may be posted at a time
   * @param access what the peer may do: {@code VerbsLayout.ACCESS_REMOTE_READ}, or 0 for nothing
   */
  static VerbsQueuePair create(
      VerbsPort port, VerbsDomain domain, long queue, int requests, int access) throws IOException {
    Verbs verbs = port.device().verbs();
    long pair = verbs.createPair(domain.handle(), queue, requests);
    try {
      return new VerbsQueuePair(port, pair, access);
    } catch (RuntimeException | Error e) { // for want of memory
      Closer.after(e, () -> verbs.destroyPair(pair));
      throw e;
    }
  }

  /** The native object. */
  long handle() {
    return pair;
  }

  VerbsPort port() {
    return port;
  }

  /**
   * What the peer must know of it.
   *
   * @param reads how many reads it may have under way, or answers, at a time
   */
  QueuePairAddress address(int reads) {
    return QueuePairAddress.of(port, verbs.pairNumber(pair), psn, reads);
  }

  /**
   * Connects it: RESET to INIT to RTR to RTS. From then on it answers the peer's reads.
   *
   * @param network the server's settings, for both sides
   * @param served how many reads of the peer it answers at a time
   * @param issued how many reads it has under way at a time
   */
  synchronized void connect(QueuePairAddress remote, VerbsNetwork network, int served, int issued)
      throws IOException {
    if (destroyed) {
      throw new IOException("the queue pair is destroyed already");
    }
    if (remote.link() != port.gid().kind()) {
      throw new IOException("the peer's port speaks " + remote.link() + ", but this is " + port);
    }
    int partition = port.partitionIndex(network.partitionKey());
    verbs.modify(pair, VerbsLayout.init(port.number(), partition, access), VerbsLayout.MASK_INIT);
    verbs.modify(
        pair, VerbsLayout.readyToReceive(port, remote, network, served), VerbsLayout.MASK_RTR);
    verbs.modify(pair, VerbsLayout.readyToSend(psn, network, issued), VerbsLayout.MASK_RTS);
  }

  /** Ends all that is posted, with failed completions. */
  synchronized void fail() throws IOException {
    if (!destroyed) {
      verbs.modify(pair, VerbsLayout.ERROR, VerbsLayout.MASK_ERROR);
      failed = true;
    }
  }

  /**
   * Destroys it, once; after it returns, the NIC neither reads nor writes through it. A second call
   * after a failure tries again.
   */
  synchronized void destroy() throws IOException {
    if (!destroyed) {
      verbs.destroyPair(pair);
      destroyed = true;
    }
  }

  /** Whether the NIC was told to end all that is posted, and did not refuse. */
  synchronized boolean isStopped() {
    return failed || destroyed;
  }
}
