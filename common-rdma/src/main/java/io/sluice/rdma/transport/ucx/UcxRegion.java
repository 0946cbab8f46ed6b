package io.sluice.rdma.transport.ucx;

import com.sun.jna.Pointer;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;

/**
 * Registered memory and the buffer it lies in, which must not be collected while a NIC may read it.
 *
 * <p>Thread contract: made and deregistered on the loop.
 */
final class UcxRegion {
  private final UcpContext context;
  private final ByteBuffer memory;
  private final long address;
  private final Pointer handle;
  private final ByteBuffer remoteKey;

  private UcxRegion(UcpContext context, ByteBuffer memory, long lengthBytes, long protection)
      throws TransportException {
    this.context = context;
    this.memory = memory;
    this.address = UcxUtils.getAddress(memory.duplicate().clear());
    this.handle = UcpLibrary.map(context, address, lengthBytes, protection);
    try {
      this.remoteKey = UcpLibrary.remoteKey(context, handle);
    } catch (TransportException | RuntimeException | Error e) {
      UcpLibrary.unmap(context, handle);
      throw e;
    }
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
      return new UcxRegion(loop.context(), memory, lengthBytes, protection);
    } catch (RegistrationException e) {
      throw new RegistrationException(
          e.getMessage()
              + "; memory on a DAX file system cannot be registered, tmpfs and hugetlbfs can",
          e);
    }
  }

  long address() {
    return address;
  }

  /** The packed rkey. */
  ByteBuffer remoteKey() {
    return remoteKey.duplicate();
  }

  void deregister() {
    UcpLibrary.unmap(context, handle);
  }

  @Override
  public String toString() {
    return "registration of " + memory;
  }
}
