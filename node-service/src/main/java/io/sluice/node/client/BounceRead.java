package io.sluice.node.client;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One read through a bounce slot, from being asked for to its end.
 *
 * <p>Thread contract: safe from any thread.
 */
final class BounceRead {
  private final BounceRequest wanted;
  private final RegisteredBuffer destination;
  private final long deadlineNs;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private volatile boolean slotLost;

  /**
   * Its deadline counts from now.
   *
   * @param wanted which bytes, with {@code waitMs} left open
   * @param destination where they go, from its start
   */
  BounceRead(BounceRequest wanted, RegisteredBuffer destination, long timeoutMs) {
    this.wanted = wanted;
    this.destination = destination;
    this.deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
  }

  String transport() {
    return wanted.transport();
  }

  int lengthBytes() {
    return wanted.lengthBytes();
  }

  RegisteredBuffer destination() {
    return destination;
  }

  CompletableFuture<Void> done() {
    return done;
  }

  long leftMs() {
    return TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
  }

  /** The request as it is sent now: half of the time that is left must do for the read itself. */
  BounceRequest request() {
    return new BounceRequest(
        wanted.transport(),
        wanted.outputId(),
        wanted.partition(),
        wanted.ordinal(),
        wanted.offsetBytes(),
        wanted.lengthBytes(),
        (int) Math.min(BounceSlots.MAX_WAIT_MS, Math.max(0, leftMs() / 2)));
  }

  /** The service may have given the slot to another reader: its bytes are not to be used. */
  void slotLost() {
    slotLost = true;
  }

  void fail(TransportException cause) {
    done.completeExceptionally(cause);
  }

  /** The read of the slot has ended. */
  void ended(Throwable failure) {
    if (failure != null) {
      done.completeExceptionally(failure);
    } else if (slotLost) {
      fail(new TransportException(this + ": the control connection ended during the read"));
    } else {
      done.complete(null);
    }
  }

  @Override
  public String toString() {
    return "bounced read of %s bytes at %s of %s"
        .formatted(wanted.lengthBytes(), wanted.offsetBytes(), wanted.outputId());
  }
}
