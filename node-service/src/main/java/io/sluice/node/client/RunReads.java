package io.sluice.node.client;

import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.RegisteredWindows;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Starts the reads of one run in the way that its node allows: directly, or through bounce slots.
 *
 * <p>Thread contract: one thread at a time. Ownership: the caller gives each window to {@link
 * #discard} or closes it. Failure: {@link FetchFailedException} when there is no way, {@link
 * StaleLocationException} when the run may lie elsewhere, {@link IOException} when there is no
 * window; a read that cannot be started is a window that has failed.
 */
record RunReads(RemoteNode node, String outputId, String name, Run run, RunLocator where) {
  /** For threads of transports to run when this process has been stopped. */
  private static final long SLACK_MS = 1_000;

  /**
   * The best way to the run's byte at {@code offsetBytes}.
   *
   * @param avoidBounce whether any direct way is better than a bounced one
   * @param isDoubted whether bytes came wrong the best way, so that another is better
   */
  ReadPath bestWay(long offsetBytes, boolean avoidBounce, boolean isDoubted) throws IOException {
    Range range = rangeAt(offsetBytes);
    SegmentLocation segment = where.segment(range.segmentId());
    if (segment == null) {
      throw new StaleLocationException(name + ": " + node.name() + " did not describe " + range);
    }
    List<ReadPath> ways = node.ways().of(segment);
    if (ways.isEmpty()) {
      throw new FetchFailedException(
          outputId,
          "%s: %s serves %s over %s, this task reads over %s%s"
              .formatted(
                  name,
                  node.name(),
                  segment.segment(),
                  segment.regions().keySet(),
                  node.pools().names(),
                  node.ways().givenUp()),
          null);
    }
    List<ReadPath> right = ways.stream().filter(way -> !(avoidBounce && way.isBounced())).toList();
    if (right.isEmpty()) {
      return ways.get(0);
    }
    return right.get(isDoubted ? right.size() - 1 : 0);
  }

  /**
   * Starts to read a window from {@code offsetBytes} on.
   *
   * @param wait whether to wait for one
   * @param spare how many others must be free besides, if it does not wait
   * @return null if none is free to read into
   */
  RunWindow start(ReadPath way, long offsetBytes, boolean wait, int spare) throws IOException {
    RegisteredBuffer buffer = window(way.transport(), wait, spare);
    if (buffer == null) {
      return null;
    }
    Range range = rangeAt(offsetBytes);
    int lengthBytes =
        (int) Math.min(Math.min(buffer.lengthBytes(), way.maxBytes()), range.lengthBytes());
    CompletableFuture<Void> done;
    try {
      done =
          way.isBounced()
              ? bounce(way.transport(), offsetBytes, buffer, lengthBytes)
              : node.read(
                  way.transport(),
                  way.region(),
                  range.offsetBytes(),
                  buffer,
                  lengthBytes,
                  node.timeouts().exchangeMs());
    } catch (IOException e) {
      done = CompletableFuture.failedFuture(e);
    } catch (RuntimeException | Error e) { // of memory or threads, mostly
      buffer.close();
      throw e;
    }
    return new RunWindow(way, buffer, buffer.buffer(), lengthBytes, done);
  }

  private CompletableFuture<Void> bounce(
      String transport, long offsetBytes, RegisteredBuffer buffer, int lengthBytes) {
    BounceRequest wanted =
        new BounceRequest(
            transport, outputId, run.partition(), run.ordinal(), offsetBytes, lengthBytes, 0);
    BounceRead read = new BounceRead(wanted, buffer, node.timeouts().exchangeMs());
    node.bounceReads().start(read);
    return read.done();
  }

  private RegisteredBuffer window(String transport, boolean wait, int spare) throws IOException {
    RegisteredWindows pool = node.pools().pool(transport);
    if (!wait) {
      return pool.tryAcquire(spare).orElse(null);
    }
    try {
      return pool.acquire(node.timeouts().exchangeMs());
    } catch (TimeoutException e) {
      // Not the output's fault: runs that are merged were given more windows than there are.
      throw new IllegalStateException(name + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      throw where.interrupted();
    }
  }

  /** The rest of the range that holds the run's byte at {@code offsetBytes}. */
  private Range rangeAt(long offsetBytes) {
    long skipBytes = offsetBytes;
    for (Range range : where.place().ranges()) {
      if (skipBytes < range.lengthBytes()) {
        return new Range(
            range.segmentId(), range.offsetBytes() + skipBytes, range.lengthBytes() - skipBytes);
      }
      skipBytes -= range.lengthBytes();
    }
    throw new IllegalStateException(name + ": offset " + offsetBytes + " is behind the run's end");
  }

  /**
   * Gives the memory of a window back that nobody will read. That of a read which does not end by
   * twice its deadline goes back when it does end: until then its bytes may come. Of many that hang
   * since the same time, the first is waited for, and the others hardly.
   */
  void discard(RunWindow window) {
    long waitMs = Math.max(SLACK_MS, 2 * node.timeouts().exchangeMs() - window.ageMs());
    try {
      window.done().handle((ok, failure) -> null).orTimeout(waitMs, TimeUnit.MILLISECONDS).join();
    } catch (CompletionException late) {
      // Not on the transport's own thread, which the pool may be waiting for.
      window.done().whenCompleteAsync((ok, failure) -> window.close());
      throw new IllegalStateException(name + ": a read does not end", late);
    }
    window.close();
  }

  /**
   * A run lies in a segment that no answer has located: the run has moved meanwhile, or the service
   * is wrong. No transport is to blame.
   */
  static final class StaleLocationException extends TransportException {
    private static final long serialVersionUID = 1L;

    StaleLocationException(String message) {
      super(message);
    }
  }

  /**
   * A window on a run: one read on its way, or arrived.
   *
   * <p>Ownership: the reader that started the read closes it.
   */
  static final class RunWindow {
    private final ReadPath way;
    private final RegisteredBuffer buffer; // null if it is inlined
    private final ByteBuffer bytes;
    private final int lengthBytes;
    private final CompletableFuture<Void> done;
    private final long startedNs = System.nanoTime();
    private ByteBuffer view;

    private RunWindow(
        ReadPath way,
        RegisteredBuffer buffer,
        ByteBuffer bytes,
        int lengthBytes,
        CompletableFuture<Void> done) {
      this.way = way;
      this.buffer = buffer;
      this.bytes = bytes;
      this.lengthBytes = lengthBytes;
      this.done = done;
    }

    /** Of bytes that are here. */
    static RunWindow inlined(byte[] bytes) {
      return new RunWindow(
          ReadPath.INLINED,
          null,
          ByteBuffer.wrap(bytes),
          bytes.length,
          CompletableFuture.completedFuture(null));
    }

    ReadPath way() {
      return way;
    }

    /** Gives its memory back, which nothing is read into any more. */
    void close() {
      if (buffer != null) {
        buffer.close();
      }
    }

    int lengthBytes() {
      return lengthBytes;
    }

    CompletableFuture<Void> done() {
      return done;
    }

    /** Since the read was started. */
    long ageMs() {
      return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNs);
    }

    /** The read has ended well. */
    void arrived() {
      view = bytes.limit(lengthBytes);
    }

    /** The bytes left to be consumed, or null before they have arrived. */
    ByteBuffer view() {
      return view;
    }
  }

  /**
   * How the bytes of a segment can be read: from its region, or where it has none on a transport,
   * through bounce slots; or {@link #INLINED}.
   *
   * @param transport the transport
   * @param region the segment's region, or null if it is bounced or inlined
   * @param maxBytes the most that one read can bring
   */
  record ReadPath(String transport, RegionDescriptor region, int maxBytes) {
    /** With the answer that said where they lie. */
    static final ReadPath INLINED = new ReadPath(ReadStats.INLINED, null, Integer.MAX_VALUE);

    static ReadPath direct(String transport, RegionDescriptor region) {
      return new ReadPath(transport, region, Integer.MAX_VALUE);
    }

    static ReadPath bounced(String transport, int slotBytes) {
      return new ReadPath(transport, null, slotBytes);
    }

    boolean isBounced() {
      return region == null && this != INLINED;
    }
  }
}
