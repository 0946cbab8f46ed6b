package io.sluice.node.client;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import java.util.concurrent.CompletableFuture;

/** A connection of a test that opens and closes it, and reads nothing. */
abstract class UnreadConnection implements Connection {
  @Override
  public CompletableFuture<Void> read(
      RegionDescriptor remote,
      long remoteOffsetBytes,
      RegisteredBuffer destination,
      int destinationOffsetBytes,
      int lengthBytes,
      long timeoutMs) {
    throw new UnsupportedOperationException();
  }
}
