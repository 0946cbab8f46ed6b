package io.sluice.node.client;

import io.sluice.rdma.transport.RegisteredBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A window on a run: one read on its way, or arrived.
 *
 * <p>Thread contract: one thread. Ownership: the reader that started the read closes it.
 */
final class RunWindow {
  private final ReadPath way;
  private final RegisteredBuffer buffer; // null if it is inlined
  private final ByteBuffer bytes;
  private final int lengthBytes;
  private final CompletableFuture<Void> done;
  private final long startedNs = System.nanoTime();
  private ByteBuffer view;

  RunWindow(ReadPath way, RegisteredBuffer buffer, int lengthBytes, CompletableFuture<Void> done) {
    this(way, buffer, buffer.buffer(), lengthBytes, done);
  }

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
