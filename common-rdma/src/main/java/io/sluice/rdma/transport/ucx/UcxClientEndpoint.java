package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The reading side over UCX: registered buffers and connections.
 *
 * <p>Thread contract: safe from any thread; one loop carries all connections. Ownership: the caller
 * closes it.
 */
final class UcxClientEndpoint extends ClientEndpointBase {
  private final UcxSettings settings;
  private final UcxLoop loop;

  private UcxClientEndpoint(UcxSettings settings, UcxLoop loop) {
    super(TransportNames.UCX);
    this.settings = settings;
    this.loop = loop;
  }

  static UcxClientEndpoint open(UcxSettings settings) throws TransportException {
    UcxLoop loop = UcxLoop.start("sluice-ucx-client", settings);
    try {
      return new UcxClientEndpoint(settings, loop);
    } catch (RuntimeException | Error e) {
      loop.close();
      throw e;
    }
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("only direct memory can be registered");
    }
    UcxRegion region =
        loop.call("registering a buffer", () -> UcxRegion.toLandIn(loop, settings, direct));
    return resources().registered(new UcxRegisteredBuffer(resources(), loop, direct, region));
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    requireOpen();
    if (remote.isUnresolved()) {
      throw new ConnectFailedException("ucx: cannot connect to unresolved address " + remote);
    }
    if (!(remote.getAddress() instanceof Inet4Address)) {
      throw new ConnectFailedException("ucx: cannot connect to " + remote + ": IPv4 only");
    }
    UcxConnection connection = resources().began(new UcxConnection(resources(), loop, remote));
    connection.connect(timeoutMs);
    return connection;
  }

  @Override
  protected void closeRest() {
    loop.close();
  }

  /** A buffer to read into that is registered with the NIC. */
  static final class UcxRegisteredBuffer extends EndpointBuffer {
    private final UcxLoop loop;
    private final UcxRegion region;

    UcxRegisteredBuffer(
        ClientResources resources, UcxLoop loop, ByteBuffer direct, UcxRegion region) {
      super(resources, direct);
      this.loop = loop;
      this.region = region;
    }

    @Override
    protected void release() {
      try {
        loop.call(
            "deregistering a buffer",
            () -> {
              region.deregister();
              return null;
            });
      } catch (TransportException e) {
        throw new IllegalStateException(e.getMessage() + "; the memory must not be freed", e);
      }
      resources().deregistered(this);
    }
  }
}
