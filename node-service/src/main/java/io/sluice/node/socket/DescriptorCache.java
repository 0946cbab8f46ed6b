package io.sluice.node.socket;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens segments of a pool whose files have no name here, by the descriptors that the service has
 * sent; the service is asked for others. Keeps descriptors of the memory tier, since a task comes
 * back to them, and none of the disk tier, because an open file holds its space.
 *
 * <p>Thread contract: safe from any thread; the service is asked without a lock. Ownership: {@link
 * SocketClient} closes it; files that it has opened outlive it. Failure: {@link IOException} if the
 * service has no such segment, or has sent a descriptor of something else.
 */
final class DescriptorCache implements SegmentOpener, Closeable {
  private final Service service;
  private final Map<Integer, Received> kept = new HashMap<>(); // by segment; guarded by this
  private boolean closed; // guarded by this

  /** Asks for one segment. */
  @FunctionalInterface
  interface Service {
    Descriptor open(SegmentInfo segment, boolean writable) throws IOException;
  }

  private record Received(SegmentInfo segment, Descriptor descriptor, boolean writable) {}

  DescriptorCache(Service service) {
    this.service = service;
  }

  /** Takes over a descriptor of a segment that came with a lease. */
  void granted(SegmentInfo segment, Descriptor descriptor) throws IOException {
    try {
      check(segment, descriptor);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, descriptor);
      throw e;
    }
    keep(new Received(segment, descriptor, true));
  }

  @Override
  public SegmentFile open(SegmentInfo segment, boolean writable) throws IOException {
    Descriptor mine = duplicateOfKept(segment, writable);
    if (mine == null) {
      Descriptor received = service.open(segment, writable);
      try {
        check(segment, received);
        mine = received.duplicate();
      } catch (IOException | RuntimeException | Error e) {
        Closer.after(e, received);
        throw e;
      }
      keep(new Received(segment, received, writable));
    }
    return SegmentFile.handedOver(segment, mine, writable);
  }

  /**
   * A duplicate of the kept descriptor of this very segment, while its file is whole; else null.
   */
  private synchronized Descriptor duplicateOfKept(SegmentInfo segment, boolean writable)
      throws IOException {
    Received received = kept.get(segment.segmentId());
    if (received == null
        || !received.segment().equals(segment)
        || (writable && !received.writable())) {
      return null;
    }
    if (lengthBytes(received.descriptor()) < expectedBytes(segment)) {
      kept.remove(segment.segmentId()).descriptor().close(); // it was taken away
      return null;
    }
    return received.descriptor().duplicate();
  }

  private synchronized void keep(Received received) throws IOException {
    SegmentInfo segment = received.segment();
    if (closed || segment.tier() == Tier.DISK) {
      received.descriptor().close();
      return;
    }
    Received former = kept.get(segment.segmentId());
    boolean better = former == null || received.writable() || !former.segment().equals(segment);
    if (better) {
      kept.put(segment.segmentId(), received);
    }
    Received useless = better ? former : received;
    if (useless != null) {
      useless.descriptor().close();
    }
  }

  private static void check(SegmentInfo segment, Descriptor descriptor) throws IOException {
    if (!Files.isRegularFile(descriptor.self())) {
      throw new IOException("the service has sent something else than a file for " + segment);
    }
    long lengthBytes = lengthBytes(descriptor);
    if (lengthBytes < expectedBytes(segment)) {
      throw new IOException("the file sent for " + segment + " has " + lengthBytes + " bytes");
    }
  }

  /** A commit cuts a file of the disk tier to the bytes that were written. */
  private static long expectedBytes(SegmentInfo segment) {
    return segment.tier() == Tier.DISK ? 1 : segment.fileOffsetBytes() + segment.lengthBytes();
  }

  private static long lengthBytes(Descriptor descriptor) throws IOException {
    return Files.size(descriptor.self());
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<Descriptor> all = kept.values().stream().map(Received::descriptor).toList();
    kept.clear();
    Closer.all(all);
  }
}
