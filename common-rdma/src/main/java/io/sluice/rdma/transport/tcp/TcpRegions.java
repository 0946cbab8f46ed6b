package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The regions that a TCP server serves, by their ids.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoint deregisters the remaining
 * regions.
 */
final class TcpRegions {
  private final Map<Long, TcpRegion> regions = new ConcurrentHashMap<>();
  private final SecureRandom keys = new SecureRandom();
  private final AtomicLong nextRegionId = new AtomicLong(1);
  private final TransportMeter meter;
  private final long graceMs;
  private final long shutdownLimitMs;

  TcpRegions(TransportMeter meter) {
    this(meter, TcpRegion.GRACE_MS, TcpRegion.SHUTDOWN_LIMIT_MS);
  }

  /** Uses other limits, for a test with a sender that does not end. */
  TcpRegions(TransportMeter meter, long graceMs, long shutdownLimitMs) {
    this.meter = meter;
    this.graceMs = graceMs;
    this.shutdownLimitMs = shutdownLimitMs;
  }

  RegionDescriptor register(MemoryRegion memory) throws RegistrationException {
    checkFileHoldsRegion(memory);
    RegionDescriptor descriptor =
        new RegionDescriptor(
            nextRegionId.getAndIncrement(), keys.nextLong(), memory.lengthBytes(), new byte[0]);
    regions.put(descriptor.regionId(), new TcpRegion(descriptor, memory, graceMs, shutdownLimitMs));
    meter.registered(memory.lengthBytes());
    return descriptor;
  }

  /**
   * Deregisters a region, and returns when no thread sends from it; idempotent.
   *
   * @throws IllegalStateException if a thread still sends from it; call it again then
   */
  void deregister(RegionDescriptor descriptor) {
    TcpRegion region = regions.get(descriptor.regionId());
    if (region != null && region.descriptor().equals(descriptor)) {
      region.retire(); // first: if it fails, a second call must try again
      if (regions.remove(descriptor.regionId(), region)) {
        meter.deregistered(descriptor.lengthBytes());
      }
    }
  }

  /** Deregisters all regions; a failure for one does not keep the others. */
  void deregisterAll() {
    Closer.all(regions.values().stream().map(region -> () -> deregister(region.descriptor())));
  }

  /** The region of an id if the key is right, else null. */
  TcpRegion find(long regionId, long key) {
    TcpRegion region = regions.get(regionId);
    return region != null && region.descriptor().key() == key ? region : null;
  }

  private static void checkFileHoldsRegion(MemoryRegion memory) throws RegistrationException {
    if (memory.file() == null) {
      return;
    }
    long endBytes = memory.fileOffsetBytes() + memory.lengthBytes();
    try {
      if (memory.file().lengthBytes() < endBytes) {
        throw new RegistrationException(
            "tcp: the file has "
                + memory.file().lengthBytes()
                + " bytes, the region ends at byte "
                + endBytes);
      }
    } catch (RegistrationException e) {
      throw e;
    } catch (IOException e) {
      throw new RegistrationException("tcp: cannot read the size of the region's file", e);
    }
  }

  /**
   * A registered region and the sockets to which it is being sent. So deregistration can wait until
   * no thread sends from it.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class TcpRegion {
    /** How long a transfer may take to finish before its connection is closed. */
    static final long GRACE_MS = 1_000;

    /** How long a thread may take to leave after its socket was shut down; longer is a bug. */
    static final long SHUTDOWN_LIMIT_MS = 10_000;

    private final RegionDescriptor descriptor;
    private final MemoryRegion memory;
    private final long graceMs;
    private final long shutdownLimitMs;
    private final Set<SocketChannel> senders = new HashSet<>();
    private boolean retired;

    TcpRegion(
        RegionDescriptor descriptor, MemoryRegion memory, long graceMs, long shutdownLimitMs) {
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

    /** Adds a sender, by its socket; false if the region was retired. */
    synchronized boolean enter(SocketChannel sender) {
      return !retired && senders.add(sender);
    }

    synchronized void leave(SocketChannel sender) {
      senders.remove(sender);
      notifyAll();
    }

    /** Accepts no more senders, and returns when the last one has left. */
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

    /** Waits even if interrupted, because the caller will unmap the memory. */
    private boolean awaitNoSenders(long limitMs) {
      return Uninterruptibly.await(this, senders::isEmpty, limitMs);
    }
  }

  /**
   * Sends one response. If the region has a file, it uses {@code sendfile}, so that the bytes go
   * from page to socket. Else it sends from the mapping, or from memory that the region's reader
   * lends. No byte is copied to the heap.
   *
   * <p>Thread contract: called by the socket's own thread. Failure: {@link IOException}; the stream
   * then ends within a response and cannot be used any more.
   */
  static final class RegionSender {
    /** The bytes after which the client's progress is reported. */
    private static final int CHUNK_BYTES = 1 << 20;

    private RegionSender() {}

    /** Receives the progress of a response, to detect clients that do not read. */
    interface Progress {
      /** More bytes were read or sent. */
      void progressed();

      /** Whether the bytes that are sent now lie in lent memory, for which others wait. */
      void lends(boolean lends);
    }

    static void send(
        SocketChannel channel,
        ByteBuffer header,
        MemoryRegion region,
        long offsetBytes,
        int lengthBytes,
        Progress progress)
        throws IOException {
      if (region.reader() != null) {
        sendRead(channel, header, region.reader(), offsetBytes, lengthBytes, progress);
      } else if (region.file() != null) {
        Sockets.writeFully(channel, header);
        sendFile(
            channel, region.file(), region.fileOffsetBytes() + offsetBytes, lengthBytes, progress);
      } else {
        sendMapping(
            channel, header, region.mapping().slice((int) offsetBytes, lengthBytes), progress);
      }
    }

    private static void sendFile(
        SocketChannel channel,
        SharedFile file,
        long offsetBytes,
        int lengthBytes,
        Progress progress)
        throws IOException {
      int sentBytes = 0;
      while (sentBytes < lengthBytes) {
        long n =
            file.send(
                offsetBytes + sentBytes, Math.min(CHUNK_BYTES, lengthBytes - sentBytes), channel);
        if (n <= 0) {
          throw new IOException(
              "region's file returned no bytes at "
                  + (offsetBytes + sentBytes)
                  + ", its size is "
                  + file.lengthBytes()
                  + ": it was truncated under the registration");
        }
        sentBytes += (int) n;
        progress.progressed();
      }
    }

    private static void sendRead(
        SocketChannel channel,
        ByteBuffer header,
        LendingReader reader,
        long offsetBytes,
        int lengthBytes,
        Progress progress)
        throws IOException {
      int sentBytes = 0;
      while (sentBytes < lengthBytes) {
        try (LentBytes piece = reader.read(offsetBytes + sentBytes, lengthBytes - sentBytes)) {
          progress.progressed();
          progress.lends(true);
          int pieceBytes = piece.bytes().remaining();
          sendMapping(channel, header, piece.bytes(), progress);
          sentBytes += pieceBytes;
        } finally {
          progress.lends(false);
        }
      }
      Sockets.writeFully(channel, header); // not sent yet if no bytes were requested
    }

    private static void sendMapping(
        SocketChannel channel, ByteBuffer header, ByteBuffer bytes, Progress progress)
        throws IOException {
      int end = bytes.limit();
      ByteBuffer[] headerAndBytes = {header, bytes};
      do {
        bytes.limit(Math.min(end, bytes.position() + CHUNK_BYTES));
        channel.write(headerAndBytes);
        progress.progressed();
      } while (header.hasRemaining() || bytes.position() < end);
    }
  }
}
