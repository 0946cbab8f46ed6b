package io.sluice.node.client;

import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A transport that breaks its contract: its reads end when the test says so, not in time. */
final class LateReads extends WrappedTcp {
  private final List<CompletableFuture<Void>> pending = new CopyOnWriteArrayList<>();

  /** Ends them all. */
  void end() {
    pending.forEach(read -> read.complete(null));
  }

  @Override
  protected CompletableFuture<Void> read(Connection below, Supplier<CompletableFuture<Void>> read) {
    CompletableFuture<Void> late = new CompletableFuture<>();
    pending.add(late);
    return late;
  }
}
