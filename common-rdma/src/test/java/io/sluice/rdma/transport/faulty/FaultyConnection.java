package io.sluice.rdma.transport.faulty;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.Deadlines;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A connection whose reads fail by plan, each in the way the contract allows: so a dropped read
 * costs the connection at its deadline, as a real late one does.
 */
final class FaultyConnection implements Connection {
  private final Connection delegate;
  private final FaultSource faults;
  private final Deadlines timer;
  private final Set<Withheld> withheld = ConcurrentHashMap.newKeySet();

  FaultyConnection(Connection delegate, FaultSource faults, Deadlines timer) {
    this.delegate = delegate;
    this.faults = faults;
    this.timer = timer;
  }

  @Override
  public CompletableFuture<Void> read(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    Objects.checkFromIndexSize(destinationOffsetBytes, lengthBytes, destination.lengthBytes());
    Read read =
        (length, withinMs) ->
            delegate.read(
                remote, remoteOffsetBytes, destination, destinationOffsetBytes, length, withinMs);
    Optional<FaultKind> fault = faults.draw();
    if (fault.isEmpty()) {
      return read.issue(lengthBytes, timeoutMs);
    }
    return switch (fault.get()) {
      case DROP -> drop(destination, timeoutMs);
      case DELAY -> delay(read, destination, lengthBytes, timeoutMs);
      case TRUNCATE -> truncate(read, lengthBytes, timeoutMs);
      case BIT_FLIP ->
          read.issue(lengthBytes, timeoutMs)
              .thenRun(
                  () -> flipBit(destination.buffer().slice(destinationOffsetBytes, lengthBytes)));
      case WRONG_KEY ->
          CompletableFuture.failedFuture(
              new RemoteAccessException("injected: wrong key for " + remote));
      case DISCONNECT -> {
        close();
        yield read.issue(lengthBytes, timeoutMs);
      }
    };
  }

  private interface Read {
    CompletableFuture<Void> issue(int lengthBytes, long timeoutMs);
  }

  private CompletableFuture<Void> drop(RegisteredBuffer destination, long timeoutMs) {
    Withheld read = withhold(destination);
    timer.after(
        timeoutMs,
        () -> {
          // First out of the way of close, which would call it lost instead of late.
          if (withheld.remove(read)) {
            close();
            read.fail(
                new ReadTimeoutException(
                    "injected: dropped, not answered in " + timeoutMs + " ms"));
          }
        });
    return read.future();
  }

  private CompletableFuture<Void> delay(
      Read read, RegisteredBuffer destination, int lengthBytes, long timeoutMs) {
    Withheld delayed = withhold(destination);
    long delayMs = faults.delayMs(timeoutMs);
    timer.after(
        delayMs,
        () -> {
          if (withheld.remove(delayed)) {
            CompletableFuture<Void> issued =
                read.issue(lengthBytes, Math.max(1, timeoutMs - delayMs));
            issued.whenComplete((ok, failure) -> delayed.complete(failure));
          }
        });
    return delayed.future();
  }

  private CompletableFuture<Void> truncate(Read read, int lengthBytes, long timeoutMs) {
    int arriving = lengthBytes == 0 ? 0 : faults.below(lengthBytes);
    return read.issue(arriving, timeoutMs)
        .thenCompose(
            ok -> {
              close();
              return CompletableFuture.failedFuture(
                  new ConnectionLostException(
                      "injected: stream cut after " + arriving + " of " + lengthBytes + " bytes"));
            });
  }

  private void flipBit(ByteBuffer landing) {
    if (landing.hasRemaining()) {
      int bit = faults.below(landing.remaining() * Byte.SIZE);
      int index = bit / Byte.SIZE;
      landing.put(index, (byte) (landing.get(index) ^ 1 << bit % Byte.SIZE));
    }
  }

  private Withheld withhold(RegisteredBuffer destination) {
    destination.hold();
    Withheld read = new Withheld(destination, new CompletableFuture<>());
    withheld.add(read);
    return read;
  }

  /** A read the wrapped connection does not know of, or not yet. */
  private record Withheld(RegisteredBuffer destination, CompletableFuture<Void> future) {
    void fail(TransportException cause) {
      complete(cause);
    }

    void complete(Throwable failure) {
      destination.unhold();
      if (failure == null) {
        future.complete(null);
      } else {
        future.completeExceptionally(failure);
      }
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public boolean isOpen() {
    return delegate.isOpen();
  }

  @Override
  public void close() {
    delegate.close();
    for (Withheld read : withheld) {
      if (withheld.remove(read)) {
        read.fail(new ConnectionLostException("injected: connection lost before an answer"));
      }
    }
  }
}
