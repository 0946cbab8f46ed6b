package io.sluice.rdma.transport.support;

import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read between its call and its completion: the checks, the hold on the destination, the
 * deadline, the counters and the future, the same for every provider.
 *
 * <p>Thread contract: any thread may complete it, the first one wins. Ownership: the connection
 * whose {@link ReadFactory} made it completes it; that releases the destination and cancels the
 * deadline before the future is done. Failure: who has begun to complete it completes it, whatever
 * it throws; nobody else would.
 */
public final class PendingRead {
  private static final Logger LOG = LoggerFactory.getLogger(PendingRead.class);

  private final RegionDescriptor remote;
  private final long remoteOffsetBytes;
  private final RegisteredBuffer destination;
  private final int destinationOffsetBytes;
  private final int lengthBytes;
  private final long timeoutMs;
  private final String peer;
  private final TransportMeter meter;
  private final AtomicBoolean completed = new AtomicBoolean();
  private final CompletableFuture<Void> future = new CompletableFuture<>();
  private volatile Deadlines.Deadline deadline;

  /**
   * Checks what the caller answers for, and holds the destination.
   *
   * @throws IndexOutOfBoundsException if the range does not lie in the destination
   * @throws IllegalArgumentException if the timeout is not positive
   * @throws IllegalStateException if the destination was closed
   */
  PendingRead(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs,
      String peer,
      TransportMeter meter) {
    Objects.checkFromIndexSize(destinationOffsetBytes, lengthBytes, destination.lengthBytes());
    if (timeoutMs <= 0) {
      throw new IllegalArgumentException("timeout of a read must be positive, is " + timeoutMs);
    }
    this.remote = remote;
    this.remoteOffsetBytes = remoteOffsetBytes;
    this.destination = destination;
    this.destinationOffsetBytes = destinationOffsetBytes;
    this.lengthBytes = lengthBytes;
    this.timeoutMs = timeoutMs;
    this.peer = peer;
    this.meter = meter;
    destination.hold();
  }

  public RegionDescriptor remote() {
    return remote;
  }

  public long remoteOffsetBytes() {
    return remoteOffsetBytes;
  }

  public RegisteredBuffer destination() {
    return destination;
  }

  public int lengthBytes() {
    return lengthBytes;
  }

  public CompletableFuture<Void> future() {
    return future;
  }

  public boolean isCompleted() {
    return completed.get();
  }

  /** A view of exactly the bytes to be filled. */
  public ByteBuffer landing() {
    return destination.buffer().slice(destinationOffsetBytes, lengthBytes);
  }

  /** Fails the read if its range is not in the region as published. */
  public boolean failIfOutsideRegion() {
    if (remoteOffsetBytes >= 0 && lengthBytes <= remote.lengthBytes() - remoteOffsetBytes) {
      return false;
    }
    fail(new RemoteAccessException(this + ": the range is outside the region"));
    return true;
  }

  /** Starts the deadline; {@code onLate} must lead to the completion of this read. */
  public void startDeadline(Deadlines deadlines, Runnable onLate) {
    Deadlines.Deadline started = deadlines.after(timeoutMs, onLate);
    deadline = started;
    if (completed.get()) {
      started.cancel();
    }
  }

  /** Completes normally; every byte has arrived. */
  public void succeed() {
    if (completed.compareAndSet(false, true)) {
      try {
        letGo();
        meter.readDone(lengthBytes);
      } finally {
        future.complete(null);
      }
    }
  }

  /** Completes exceptionally; nothing will be written to the destination any more. */
  public void fail(TransportException cause) {
    if (completed.compareAndSet(false, true)) {
      try {
        letGo();
        meter.readFailed();
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  /** Completes exceptionally because the deadline has passed. */
  public void failLate() {
    if (completed.compareAndSet(false, true)) {
      Throwable cause = null;
      try {
        letGo();
        meter.readTimedOut();
        cause =
            new ReadTimeoutException(
                this
                    + " did not finish within "
                    + timeoutMs
                    + " ms; the connection was closed so that it can write no more");
      } catch (RuntimeException | Error e) { // of memory, mostly
        cause = e;
        throw e;
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  /**
   * Completes reads that their connection leaves behind, each by {@code end}. One that this fails
   * for, for want of memory mostly, completes with that failure, so that nobody waits for ever for
   * it or for those behind it.
   */
  public static void endAll(List<PendingRead> reads, Consumer<PendingRead> end) {
    for (PendingRead read : reads) {
      try {
        end.accept(read);
      } catch (RuntimeException | Error e) {
        SafeLog.error(LOG, "{} did not end as it should", read, e);
        read.failWith(e);
      }
    }
  }

  private void failWith(Throwable cause) {
    if (completed.compareAndSet(false, true)) {
      try {
        letGo();
      } catch (RuntimeException | Error e) {
        SafeLog.error(LOG, "{} was not let go of", this, e);
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  private void letGo() {
    try {
      Deadlines.Deadline started = deadline;
      if (started != null) {
        started.cancel();
      }
    } finally {
      destination.unhold();
    }
  }

  @Override
  public String toString() {
    return "read of "
        + lengthBytes
        + " bytes at offset "
        + remoteOffsetBytes
        + " of "
        + remote
        + " at "
        + peer;
  }

  /**
   * Makes the reads of one connection, after the checks of what the caller answers for.
   *
   * <p>Thread contract: immutable.
   *
   * @param holdings those of the connection's endpoint
   * @param peer the remote address, for messages
   */
  public record ReadFactory(ClientResources holdings, String peer) {
    /**
     * Checks the arguments of {@link Connection#read} and holds the destination.
     *
     * @throws IllegalArgumentException if the destination belongs to another endpoint, or the
     *     timeout is not positive
     * @throws IndexOutOfBoundsException if the range does not lie in the destination
     * @throws IllegalStateException if the destination was closed
     */
    public PendingRead open(
        RegionDescriptor remote,
        long remoteOffsetBytes,
        RegisteredBuffer destination,
        int destinationOffsetBytes,
        int lengthBytes,
        long timeoutMs) {
      if (!(destination.registration() instanceof EndpointBuffer registered)
          || registered.holdings() != holdings) {
        throw new IllegalArgumentException(
            "the destination is not registered with the endpoint of this connection");
      }
      return new PendingRead(
          remote,
          remoteOffsetBytes,
          destination,
          destinationOffsetBytes,
          lengthBytes,
          timeoutMs,
          peer,
          holdings.meter());
    }
  }
}
