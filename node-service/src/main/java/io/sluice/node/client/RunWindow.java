package io.sluice.node.client;

import io.sluice.rdma.transport.RegisteredBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A window on a run: one read on its way, or arrived.
 *
 * <p>Thread contract: one thread. Ownership: whoever started the read closes the buffer.
 */
final class RunWindow {
  private final ReadWay way;
  private final RegisteredBuffer buffer;
  private final int lengthBytes;
  private final CompletableFuture<Void> done;
  private final long startedNs = System.nanoTime();
  private ByteBuffer view;

  RunWindow(ReadWay way, RegisteredBuffer buffer, int lengthBytes, CompletableFuture<Void> done) {
    this.way = way;
    this.buffer = buffer;
    this.lengthBytes = lengthBytes;
    this.done = done;
  }

  ReadWay way() {
    return way;
  }

  RegisteredBuffer buffer() {
    return buffer;
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
    view = buffer.buffer().limit(lengthBytes);
  }

  /** What is left to be consumed, or null before it has arrived. */
  ByteBuffer view() {
    return view;
  }
}
