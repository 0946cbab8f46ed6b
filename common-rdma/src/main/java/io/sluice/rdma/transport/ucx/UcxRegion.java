package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
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

  /** Registers memory that the other side may read, and asks for no more than that. */
  static UcxRegion toBeRead(UcxLoop loop, UcxSettings settings, ByteBuffer memory, long lengthBytes)
      throws TransportException {
    long protection =
        UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ | UcpConstants.UCP_MEM_MAP_PROT_REMOTE_READ;
    return register(loop, settings, memory, lengthBytes, protection);
  }

  /** Registers memory that this side reads into. */
  static UcxRegion toLandIn(UcxLoop loop, UcxSettings settings, ByteBuffer memory)
      throws TransportException {
    long protection =
        UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ | UcpConstants.UCP_MEM_MAP_PROT_LOCAL_WRITE;
    return register(loop, settings, memory, memory.capacity(), protection);
  }

  private static UcxRegion register(
      UcxLoop loop, UcxSettings settings, ByteBuffer memory, long lengthBytes, long protection)
      throws TransportException {
    settings.checkMayPin(lengthBytes);
    try {
      UcpMemMapParams params =
          new UcpMemMapParams()
              .setAddress(UcxUtils.getAddress(memory.duplicate().clear()))
              .setLength(lengthBytes)
              .setProtection(protection);
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
