package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.OffHeap;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Functions of the C library. */
class AddressCallTest {
  private static long function(String name) {
    return Pointer.nativeValue(NativeLibrary.getInstance("c").getFunction(name));
  }

  @Test
  void passesThreeArgumentsAndReturnsTheResult() throws Exception {
    long memcmp = function("memcmp");
    ByteBuffer memory = OffHeap.allocate(16);
    try {
      memory.put(7, (byte) 1);
      long address = LibVerbs.address(memory);
      assertEquals(0, AddressCall.call(memcmp, address, address + 8, 7));
      assertTrue(AddressCall.call(memcmp, address, address + 8, 8) > 0);
      assertTrue(AddressCall.call(memcmp, address + 8, address, 8) < 0);
      // Each thread has a frame of its own.
      assertTrue(
          CompletableFuture.supplyAsync(() -> AddressCall.call(memcmp, address + 8, address, 8))
                  .get()
              < 0);
    } finally {
      OffHeap.free(memory);
    }
  }

  @Test
  void anIntIsTheLowerHalfOfAnArgumentAndFurtherOnesAreIgnored() {
    assertEquals(5, AddressCall.call(function("abs"), 0xABCDL << 32 | -5 & 0xFFFF_FFFFL, 1, 2));
    assertEquals(Integer.MAX_VALUE, AddressCall.call(function("abs"), Integer.MAX_VALUE, 0, 0));
  }
}
