package io.sluice.rdma.transport.support;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read from its call to its completion. It has the checks, the hold on the destination, the
 * deadline, the counters and the future, which are the same for all providers.
 *
 * <p>Thread contract: any thread may complete it; the first one wins. Ownership: the {@link
 * ReadFactory} that made it completes it until it is submitted, then the connection. Completion
 * releases the destination and cancels the deadline, then completes the future. Failure: a thread
 * that has started to complete it does so even if a step throws, because no other thread would.
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
  private final CompletableFuture<Void> future;
  private volatile Deadlines.Deadline deadline;

  /**
   * Checks the caller's arguments, and holds the destination.
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
      TransportMeter meter,
      CompletableFuture<Void> future) {
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
    this.future = future;
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

  /** A view of exactly the bytes to fill. */
  public ByteBuffer landing() {
    return destination.buffer().slice(destinationOffsetBytes, lengthBytes);
  }

  /** Fails the read if its range is outside the region of the descriptor. */
  boolean failIfOutsideRegion() {
    if (remoteOffsetBytes >= 0 && lengthBytes <= remote.lengthBytes() - remoteOffsetBytes) {
      return false;
    }
    fail(new RemoteAccessException(this + ": the range is outside the region"));
    return true;
  }

  /** Starts the deadline; {@code onLate} must complete this read. */
  void startDeadline(Deadlines deadlines, Runnable onLate) {
    Deadlines.Deadline started = deadlines.after(timeoutMs, onLate);
    deadline = started;
    if (completed.get()) {
      started.cancel();
    }
  }

  /** Completes the read normally: all bytes have arrived. */
  public void succeed() {
    if (completed.compareAndSet(false, true)) {
      try {
        releaseDestination();
        meter.readDone(lengthBytes);
      } finally {
        future.complete(null);
      }
    }
  }

  /** Fails the read; no more bytes will be written to the destination. */
  public void fail(TransportException cause) {
    if (completed.compareAndSet(false, true)) {
      try {
        releaseDestination();
        meter.readFailed();
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  /** Fails the read because starting it failed, mostly for want of memory; nothing was posted. */
  public void failUnstarted(Throwable cause) {
    try {
      fail(new TransportException(this + " was not started: " + ErrorText.of(cause), cause));
    } catch (RuntimeException | Error e) {
      SafeLog.error(LOG, "{} was not started, and did not fail normally", this, e);
      failWith(cause);
    }
  }

  /** Fails the read because its deadline has passed. */
  public void failLate() {
    if (completed.compareAndSet(false, true)) {
      Throwable cause = null;
      try {
        releaseDestination();
        meter.readTimedOut();
        cause =
            new ReadTimeoutException(
                this
                    + " did not finish within "
                    + timeoutMs
                    + " ms; its connection was closed to stop further writes");
      } catch (RuntimeException | Error e) { // mostly for want of memory
        cause = e;
        throw e;
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  /**
   * Completes the remaining reads of a connection, each by {@code end}. If {@code end} fails for a
   * read, mostly for want of memory, the read completes with that failure. So no caller waits
   * forever for it or for later ones.
   */
  public static void endAll(List<PendingRead> reads, Consumer<PendingRead> end) {
    for (PendingRead read : reads) {
      read.endBy(end);
    }
  }

  /** Completes the read by {@code end}; if that fails, the read completes with that failure. */
  public void endBy(Consumer<PendingRead> end) {
    try {
      end.accept(this);
    } catch (RuntimeException | Error e) {
      SafeLog.error(LOG, "{} did not end normally", this, e);
      failWith(e);
    }
  }

  private void failWith(Throwable cause) {
    if (completed.compareAndSet(false, true)) {
      try {
        releaseDestination();
      } catch (RuntimeException | Error e) {
        SafeLog.error(LOG, "the destination of {} was not released", this, e);
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  private void releaseDestination() {
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
}
