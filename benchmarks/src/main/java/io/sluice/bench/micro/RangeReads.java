package io.sluice.bench.micro;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportProvider;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One-sided reads of a region in ranges, some of them in flight, by a client of the server's own
 * process.
 *
 * <p>Thread contract: one thread. Ownership: closes its endpoints; the region's memory is its
 * caller's, and outlives it. Failure: a read that fails is a {@link
 * java.util.concurrent.CompletionException}, after which it is only good for being closed.
 */
public final class RangeReads implements Closeable {
  private static final long TIMEOUT_MS = 60_000;

  private final long lengthBytes;
  private final int rangeBytes;
  private final int inFlight;
  private final ByteBuffer memory;
  private final RegisteredBuffer landing;
  private final RegionDescriptor region;
  private final Connection connection;
  private final Deque<Closeable> open = new ArrayDeque<>(); // the last one first

  /** Looks at what has landed, before something else does in the same place. */
  public interface Landed {
    /**
     * A read has ended.
     *
     * @param read counted from 0
     * @param memory where its first byte is at {@code offset}
     */
    void landed(int read, ByteBuffer memory, int offset);
  }

  /**
   * Serves a region, and connects to it.
   *
   * @param address of this host where it listens
   * @param rangeBytes of each read but that of the region's end
   * @param inFlight reads at most
   */
  public RangeReads(
      TransportProvider provider,
      InetAddress address,
      MemoryRegion served,
      int rangeBytes,
      int inFlight)
      throws IOException {
    this.lengthBytes = served.lengthBytes();
    this.rangeBytes = rangeBytes;
    this.inFlight = inFlight;
    this.memory = OffHeap.allocate(inFlight * rangeBytes);
    open.push(() -> OffHeap.free(memory));
    try {
      ServerEndpoint server = provider.listen(new InetSocketAddress(address, 0));
      open.push(server::close);
      region = server.register(served);
      ClientEndpoint client = provider.openClient();
      open.push(client::close);
      landing = client.register(memory);
      open.push(landing::close);
      connection = client.connect(server.address(), TIMEOUT_MS);
      open.push(connection::close);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> Closer.all(open));
      throw e;
    }
  }

  /** How many ranges the region has. */
  public int ranges() {
    return Math.toIntExact((lengthBytes + rangeBytes - 1) / rangeBytes);
  }

  /** Reads ranges one after the other, from the first one again after the last. */
  public void read(int reads, Landed landed) {
    int ranges = ranges();
    ArrayDeque<CompletableFuture<Void>> begun = new ArrayDeque<>();
    for (int read = 0; read < reads + inFlight; read++) {
      if (read >= inFlight && read - inFlight < reads) {
        begun.remove().join();
        landed.landed(read - inFlight, memory, slot(read));
      }
      if (read < reads) {
        long at = (long) (read % ranges) * rangeBytes;
        int length = (int) Math.min(rangeBytes, lengthBytes - at);
        begun.add(connection.read(region, at, landing, slot(read), length, TIMEOUT_MS));
      }
    }
  }

  private int slot(int read) {
    return read % inFlight * rangeBytes;
  }

  @Override
  public void close() throws IOException {
    List<Closeable> closing = List.copyOf(open);
    open.clear();
    Closer.all(closing);
  }
}
