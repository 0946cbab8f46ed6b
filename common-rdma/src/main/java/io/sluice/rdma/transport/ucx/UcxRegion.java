package io.sluice.rdma.transport.ucx;

import com.sun.jna.Pointer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * Registered memory. It keeps the buffer reachable while a NIC may read it.
 *
 * <p>Thread contract: made and deregistered on the loop. Ownership: the endpoint deregisters it,
 * then the caller frees the memory. Failure: a failed deregistration cannot be repeated, because
 * UCX may have freed the handle.
 */
final class UcxRegion {
  private final UcpContext context;
  private final BiConsumer<UcpContext, Pointer> unmapping;
  private final ByteBuffer memory;
  private final long address;
  private final Pointer handle;
  private final ByteBuffer remoteKey;
  private Throwable failure;

  private UcxRegion(
      UcpContext context,
      BiConsumer<UcpContext, Pointer> unmapping,
      ByteBuffer memory,
      long lengthBytes,
      long protection)
      throws TransportException {
    this.context = context;
    this.unmapping = unmapping;
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

  /**
   * Registers memory that the other side may only read.
   *
   * @param unmapping deregisters a handle
   */
  static UcxRegion toBeRead(
      UcxLoop loop,
      UcxSettings settings,
      BiConsumer<UcpContext, Pointer> unmapping,
      ByteBuffer memory,
      long lengthBytes)
      throws TransportException {
    long protection =
        UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ | UcpConstants.UCP_MEM_MAP_PROT_REMOTE_READ;
    return register(loop, settings, unmapping, memory, lengthBytes, protection);
  }

  /** Registers memory that this side reads into. */
  static UcxRegion toLandIn(UcxLoop loop, UcxSettings settings, ByteBuffer memory)
      throws TransportException {
    long protection =
        UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ | UcpConstants.UCP_MEM_MAP_PROT_LOCAL_WRITE;
    return register(loop, settings, UcpLibrary::unmap, memory, memory.capacity(), protection);
  }

  private static UcxRegion register(
      UcxLoop loop,
      UcxSettings settings,
      BiConsumer<UcpContext, Pointer> unmapping,
      ByteBuffer memory,
      long lengthBytes,
      long protection)
      throws TransportException {
    settings.checkMayPin(lengthBytes);
    try {
      return new UcxRegion(loop.context(), unmapping, memory, lengthBytes, protection);
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
    if (failure != null) {
      throw new IllegalStateException("ucx: deregistering has failed before", failure);
    }
    try {
      unmapping.accept(context, handle);
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public String toString() {
    return "registration of " + memory;
  }

  /**
   * The provider data of a region's descriptor, big-endian:
   *
   * <pre>
   *   0                 8
   *   +-----------------+--------------------------+
   *   | virtual address | packed rkey (to the end) |
   *   +-----------------+--------------------------+
   * </pre>
   */
  static final class UcxAddress {
    private static final int ADDRESS_OFFSET = 0;
    private static final int REMOTE_KEY_OFFSET = ADDRESS_OFFSET + Long.BYTES;

    private UcxAddress() {}

    static byte[] pack(long address, ByteBuffer remoteKey) {
      ByteBuffer data = ByteBuffer.allocate(REMOTE_KEY_OFFSET + remoteKey.remaining());
      return data.putLong(address).put(remoteKey).array();
    }

    static boolean isPacked(RegionDescriptor descriptor) {
      return descriptor.providerData().length > REMOTE_KEY_OFFSET;
    }

    static long address(RegionDescriptor descriptor) {
      return ByteBuffer.wrap(descriptor.providerData()).getLong(ADDRESS_OFFSET);
    }

    static UcpRemoteKey unpackRemoteKey(UcpEndpoint endpoint, RegionDescriptor descriptor) {
      byte[] data = descriptor.providerData();
      ByteBuffer direct = OffHeap.allocate(data.length - REMOTE_KEY_OFFSET);
      try {
        direct.put(data, REMOTE_KEY_OFFSET, direct.capacity()).clear();
        return endpoint.unpackRemoteKey(direct);
      } finally {
        OffHeap.free(direct);
      }
    }
  }
}
