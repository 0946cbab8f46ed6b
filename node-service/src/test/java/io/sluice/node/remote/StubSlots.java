package io.sluice.node.remote;

import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.wire.ProtocolException;
import io.sluice.rdma.transport.RegionDescriptor;
import java.util.HashSet;
import java.util.Set;

/** Slots without memory behind them; remembers what was asked for. */
final class StubSlots implements BounceSlots {
  final Set<Long> held = new HashSet<>();
  BounceRequest asked;
  volatile boolean closed;

  @Override
  public BounceRange bounce(BounceRequest request) {
    asked = request;
    if (request.lengthBytes() < 0) {
      throw new IllegalArgumentException("no length " + request.lengthBytes());
    }
    long ticket = 10 + held.size();
    held.add(ticket);
    return new BounceRange(ticket, new RegionDescriptor(1, 2, 4096, new byte[] {7}), 64);
  }

  @Override
  public void release(long ticket) throws ProtocolException {
    if (!held.remove(ticket)) {
      throw new ProtocolException("no slot " + ticket);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
