package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;

/**
 * Registered memory and the buffer it lies in, which must not be collected while a NIC may read it.
 *
 * <p>Thread contract: made and deregistered on the loop.
 */
final class UcxRegion {
  private final ByteBuffer memory;
  private final UcpMemory registration;

  private UcxRegion(ByteBuffer memory, UcpMemory registration) {
    this.memory = memory;
    this.registration = registration;
  }

  static UcxRegion register(UcxLoop loop, UcxSettings settings, ByteBuffer memory, long lengthBytes)
      throws TransportException {
    settings.checkMayPin(lengthBytes);
    try {
      UcpMemMapParams params =
          new UcpMemMapParams()
              .setAddress(UcxUtils.getAddress(memory.duplicate().clear()))
              .setLength(lengthBytes);
      return new UcxRegion(memory, loop.context().memoryMap(params));
    } catch (UcxException e) {
      throw new RegistrationException(
          "ucx: registering "
              + lengthBytes
              + " bytes failed: "
              + e.getMessage()
              + "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can",
          e);
    }
  }

  long address() {
    return registration.getAddress();
  }

  /** The packed rkey, in memory of its own. */
  ByteBuffer remoteKey() {
    return registration.getRemoteKeyBuffer();
  }

  void deregister() {
    registration.deregister();
  }

  @Override
  public String toString() {
    return "registration of " + memory;
  }
}
