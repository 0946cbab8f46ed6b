package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;

/**
 * A registered region and the sockets that are being sent to from it right now, so that
 * deregistration can promise that nobody is.
 *
 * <p>Thread contract: safe from any thread.
 */
final class TcpRegion {
  /** How long a transfer under way may take to finish before its connection is given up. */
  static final long GRACE_MS = 1_000;

  /** A socket that was shut down wakes its thread at once; longer than this is a bug. */
  static final long SHUTDOWN_LIMIT_MS = 10_000;

  private final RegionDescriptor descriptor;
  private final MemoryRegion memory;
  private final long graceMs;
  private final long shutdownLimitMs;
  private final Set<SocketChannel> senders = new HashSet<>();
  private boolean retired;

  TcpRegion(RegionDescriptor descriptor, MemoryRegion memory, long graceMs, long shutdownLimitMs) {
    this.descriptor = descriptor;
    this.memory = memory;
    this.graceMs = graceMs;
    this.shutdownLimitMs = shutdownLimitMs;
  }

  RegionDescriptor descriptor() {
    return descriptor;
  }

  MemoryRegion memory() {
    return memory;
  }

  /** Enters a sender, by its socket; false if the region was retired. */
  synchronized boolean enter(SocketChannel sender) {
    return !retired && senders.add(sender);
  }

  synchronized void leave(SocketChannel sender) {
    senders.remove(sender);
    notifyAll();
  }

  /** Lets nobody in any more, and returns when the last sender has left. */
  synchronized void retire() {
    retired = true;
    if (!awaitNoSenders(graceMs)) {
      senders.forEach(Sockets::shutdown);
      if (!awaitNoSenders(shutdownLimitMs)) {
        throw new IllegalStateException(
            descriptor
                + " is still being sent from by "
                + senders.size()
                + " connections "
                + shutdownLimitMs
                + " ms after they were shut down; it must not be unmapped");
      }
    }
  }

  /** The promise to the caller comes before an interrupt. */
  private boolean awaitNoSenders(long limitMs) {
    return Uninterruptibly.await(this, senders::isEmpty, limitMs);
  }
}
