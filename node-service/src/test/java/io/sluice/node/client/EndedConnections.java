package io.sluice.node.client;

import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * tcp whose connections end just when a read begins, so many times in a row: what a service does
 * that finds them idle at that moment.
 */
final class EndedConnections extends WrappedTcp {
  private final AtomicInteger left = new AtomicInteger();

  /** The next reads, so many, meet a connection that ends. */
  void end(int times) {
    left.set(times);
  }

  /** How many of them have not come. */
  int left() {
    return left.get();
  }

  @Override
  protected CompletableFuture<Void> read(Connection below, Supplier<CompletableFuture<Void>> read) {
    if (left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      below.close();
    }
    return read.get();
  }
}
