package io.sluice.rdma.transport;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Local memory that reads may write to: a whole registration, or a window into one.
 *
 * <p>A connection holds the buffer while a read into it is in flight, and {@link #close} fails
 * while it is held. Otherwise a late transfer could write into memory that is freed or in other
 * use, without any error.
 *
 * <p>Thread contract: safe from any thread; the user of the bytes synchronises their use.
 * Ownership: the caller that registered or acquired it closes it. Closing a registration leaves the
 * memory to its owner; closing a window returns it to {@link RegisteredWindows}.
 */
public abstract class RegisteredBuffer implements AutoCloseable {
  private static final int CLOSED = -1;

  private final ByteBuffer memory;
  private final AtomicInteger readsInFlight = new AtomicInteger();

  /**
   * Wraps all of a direct buffer, independent of its position and limit, and keeps it strongly
   * reachable.
   *
   * @throws IllegalArgumentException if it is a heap buffer
   */
  protected RegisteredBuffer(ByteBuffer direct) {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException(
          "only direct memory can be registered, this is a heap buffer");
    }
    this.memory = direct.slice(0, direct.capacity());
  }

  /** A view of all bytes with its own position and limit. */
  public final ByteBuffer buffer() {
    return memory.duplicate();
  }

  /** The number of bytes. */
  public final int lengthBytes() {
    return memory.capacity();
  }

  /** The registration of this memory: itself, unless it is a window. */
  public RegisteredBuffer registration() {
    return this;
  }

  /**
   * Called by a connection before a read into this buffer starts.
   *
   * @throws IllegalStateException if it was closed
   */
  public final void hold() {
    if (readsInFlight.getAndUpdate(n -> n == CLOSED ? CLOSED : n + 1) == CLOSED) {
      throw new IllegalStateException("read into a buffer that was already closed or released");
    }
  }

  /** Called by a connection when no more bytes will be written, before the future is done. */
  public final void unhold() {
    readsInFlight.decrementAndGet();
  }

  /**
   * Closes the buffer; idempotent.
   *
   * @throws IllegalStateException if reads into it are in flight; it then stays open
   */
  @Override
  public final void close() {
    int held = readsInFlight.compareAndExchange(0, CLOSED);
    if (held > 0) {
      throw new IllegalStateException(
          "buffer of "
              + lengthBytes()
              + " bytes closed with "
              + held
              + " reads in flight; wait for their futures or close the connection first");
    }
    if (held == 0) {
      release();
    }
  }

  /** Deregisters the memory, or returns the window; called exactly once. */
  protected abstract void release();
}
