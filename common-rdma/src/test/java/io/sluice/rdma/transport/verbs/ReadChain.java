package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import java.util.concurrent.CompletableFuture;

/** Reads that follow each other until one fails, so that one is always under way. */
final class ReadChain {
  private final Connection connection;
  private final RegionDescriptor region;
  private final RegisteredBuffer landing;
  private final int lengthBytes;
  private final long timeoutMs;
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private volatile boolean read;

  ReadChain(
      Connection connection,
      RegionDescriptor region,
      RegisteredBuffer landing,
      int lengthBytes,
      long timeoutMs) {
    this.connection = connection;
    this.region = region;
    this.landing = landing;
    this.lengthBytes = lengthBytes;
    this.timeoutMs = timeoutMs;
    next();
  }

  private void next() {
    try {
      connection
          .read(region, 0, landing, 0, lengthBytes, timeoutMs)
          .whenComplete(
              (nothing, e) -> {
                if (e == null) {
                  read = true;
                  next();
                } else {
                  failure.complete(e);
                }
              });
    } catch (RuntimeException e) {
      failure.complete(e);
    }
  }

  /** Whether a read has arrived. */
  boolean hasRead() {
    return read;
  }

  /** Completes with the failure of the last read. */
  CompletableFuture<Throwable> failure() {
    return failure;
  }
}
