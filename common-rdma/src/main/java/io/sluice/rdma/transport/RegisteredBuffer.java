package io.sluice.rdma.transport;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Local memory that reads may land in: a whole registration, or a pool's window into one.
 *
 * <p>A connection holds the buffer for as long as a read into it is in flight, and {@link #close}
 * refuses while it is held: otherwise a late transfer would write into memory that is freed or
 * already someone else's, and nobody would notice.
 *
 * <p>Thread contract: safe from any thread; the bytes are the business of whoever reads into them.
 * Ownership: whoever registered or acquired it closes it; closing a registration leaves the memory
 * to its owner, closing a window gives it back to the pool.
 */
public abstract class RegisteredBuffer implements AutoCloseable {
  private static final int CLOSED = -1;

  private final ByteBuffer memory;
  private final AtomicInteger readsInFlight = new AtomicInteger();

  /**
   * Wraps all of a direct buffer, whatever its position and limit; keeps it strongly reachable.
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

  /** A view of all the bytes with position and limit of its own. */
  public final ByteBuffer buffer() {
    return memory.duplicate();
  }

  /** How many bytes there are. */
  public final int lengthBytes() {
    return memory.capacity();
  }

  /** The registration this memory belongs to: itself, unless it is a window. */
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

  /** Called by a connection when nothing will be written any more, before the future is done. */
  public final void unhold() {
    readsInFlight.decrementAndGet();
  }

  /**
   * Gives the buffer back; further calls do nothing.
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

  /** Deregisters, or returns to the pool; called exactly once. */
  protected abstract void release();
}
