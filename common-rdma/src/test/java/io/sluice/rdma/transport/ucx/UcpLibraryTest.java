package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Pointer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;

/** Over UCX's TCP, which registers nothing, but has handles and keys all the same. */
class UcpLibraryTest {
  private static final int LENGTH_BYTES = 1 << 20;
  private static final long NOWHERE = 0;

  @BeforeEach
  void needsUcx() {
    Optional<String> cause = UcxProvider.overTcp().unavailabilityCause();
    assumeTrue(cause.isEmpty(), () -> "UcpLibraryTest skipped: " + cause.get());
  }

  /** With jucx, what comes of it is a matter of what lies on the stack: often the process ends. */
  @Test
  void whatCannotBeRegisteredIsAnExceptionHoweverOften() {
    try (UcpContext context = UcxSettings.TCP.newContext()) {
      for (int i = 0; i < 20; i++) {
        RegistrationException refused =
            assertThrows(
                RegistrationException.class,
                () ->
                    UcpLibrary.map(
                        context, NOWHERE, LENGTH_BYTES, UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ));
        assertEquals(
            "ucx: registering 1048576 bytes failed: Invalid parameter", refused.getMessage());
      }
    }
  }

  @Test
  void registeredMemoryHasAKeyUntilItIsUnmapped() throws Exception {
    ByteBuffer memory = OffHeap.allocate(LENGTH_BYTES);
    try (UcpContext context = UcxSettings.TCP.newContext()) {
      long protection =
          UcpConstants.UCP_MEM_MAP_PROT_LOCAL_READ | UcpConstants.UCP_MEM_MAP_PROT_REMOTE_READ;
      Pointer handle =
          UcpLibrary.map(context, UcxUtils.getAddress(memory), LENGTH_BYTES, protection);
      ByteBuffer key = UcpLibrary.remoteKey(context, handle);
      assertTrue(key.hasRemaining());
      assertEquals(key, UcpLibrary.remoteKey(context, handle));
      UcpLibrary.unmap(context, handle);
    } finally {
      OffHeap.free(memory);
    }
  }
}
