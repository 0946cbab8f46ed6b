package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of libibverbs can be called without a device; skipped where there is no libibverbs. */
class LibVerbsTest {
  private static final int LIMIT_MS = 60_000;

  private final LibVerbs verbs = new LibVerbs();

  @BeforeEach
  void needsTheLibrary() {
    boolean loaded = LibVerbs.loadFailure().isEmpty();
    if (!loaded) {
      System.out.println("LibVerbsTest skipped: " + LibVerbs.loadFailure().orElseThrow());
    }
    assumeTrue(loaded, () -> "no libibverbs: " + LibVerbs.loadFailure().orElseThrow());
  }

  @Test
  void listsTheDevicesOrSaysWhyNot() {
    try {
      verbs.deviceNames().forEach(name -> assertFalse(name.isEmpty()));
    } catch (IOException e) { // without kernel modules: Function not implemented
      assertTrue(e.getMessage().startsWith("cannot list the RDMA devices: ["), e.getMessage());
    }
    assertThrows(IOException.class, () -> verbs.open("no-such-device"));
  }

  /** The library has two versions of most functions; the older one has other structures. */
  @Test
  void theVersionOfAFunctionIsTheNewOne() {
    Function dlvsym = NativeLibrary.getInstance("c").getFunction("dlvsym");
    NativeLibrary library = NativeLibrary.getInstance("libibverbs.so.1");
    for (String name :
        new String[] {
          "ibv_open_device",
          "ibv_query_device",
          "ibv_query_port",
          "ibv_alloc_pd",
          "ibv_reg_mr",
          "ibv_create_cq",
          "ibv_create_qp",
          "ibv_modify_qp",
          "ibv_get_async_event"
        }) {
      long wanted = dlvsym.invokeLong(new Object[] {new Pointer(0), name, "IBVERBS_1.1"});
      long taken = Pointer.nativeValue(library.getFunction(name));
      if (wanted != 0) { // it was loaded so that others see its functions
        assertEquals(wanted, taken, name);
      }
    }
  }

  @Test
  void aWakerEndsAWaitForGood() throws Exception {
    int waker = verbs.createWaker();
    int other = verbs.createWaker();
    try {
      assertEquals(0, verbs.await(new int[] {other, waker}, 1));
      verbs.wake(waker);
      assertEquals(2, verbs.await(new int[] {other, waker}, LIMIT_MS));
      verbs.wake(waker);
      assertEquals(2, verbs.await(new int[] {other, waker}, LIMIT_MS));
      verbs.wake(other);
      assertEquals(3, verbs.await(new int[] {other, waker}, LIMIT_MS));
    } finally {
      verbs.closeWaker(waker);
      verbs.closeWaker(other);
    }
    assertThrows(IOException.class, () -> verbs.wake(waker));
  }

  @Test
  void theAddressOfASliceIsWhereItStarts() {
    ByteBuffer memory = OffHeap.allocate(64);
    try {
      assertEquals(LibVerbs.address(memory) + 24, LibVerbs.address(memory.slice(24, 8)));
    } finally {
      OffHeap.free(memory);
    }
  }

  /** The functions that the header calls through the device's pointers are called like that. */
  @Test
  void callsThroughTheDevicesPointers() throws Exception {
    ByteBuffer memory = OffHeap.allocate(1024);
    try {
      long context = LibVerbs.address(memory);
      Pointer at = new Pointer(context);
      long labs = Pointer.nativeValue(NativeLibrary.getInstance("c").getFunction("labs"));
      at.setLong(VerbsLayout.CONTEXT_POLL_CQ, labs); // returns its first argument: the queue
      at.setLong(512, context);
      assertEquals((int) (context + 512), pollResult(context + 512));
    } finally {
      OffHeap.free(memory);
    }
  }

  /** Else the thread of the events waits in the kernel, and no endpoint can be closed. */
  @Test
  void aDeviceWithoutAnEventIsNotWaitedFor() throws Exception {
    ByteBuffer context = OffHeap.allocate(512).order(ByteOrder.nativeOrder());
    int silent = verbs.createWaker(); // its descriptor does not wait, as that of a device
    try {
      context.putInt(VerbsLayout.CONTEXT_ASYNC_FD, silent);
      assertFalse(verbs.takeAsyncEvent(LibVerbs.address(context), event -> fail("none came")));
      context.putInt(VerbsLayout.CONTEXT_ASYNC_FD, -1);
      assertThrows(
          IOException.class, () -> verbs.takeAsyncEvent(LibVerbs.address(context), event -> {}));
    } finally {
      verbs.closeWaker(silent);
      OffHeap.free(context);
    }
  }

  /** Else nothing of a device that was removed or reset is freed before the process ends. */
  @Test
  void anObjectThatWentAwayWithItsDeviceHasEnded() throws Exception {
    LibVerbs.checkEnded(0, "end it");
    LibVerbs.checkEnded(5, "end it"); // EIO
    Native.setLastError(5);
    LibVerbs.checkEnded(-1, "end it");
    Native.setLastError(16);
    IOException e = assertThrows(IOException.class, () -> LibVerbs.checkEnded(-1, "end it"));
    assertTrue(e.getMessage().startsWith("cannot end it: [16]"), e.getMessage());
    assertThrows(IOException.class, () -> LibVerbs.checkEnded(16, "end it"));
  }

  /** The library counts a queue that went away with its device as a user of its channel. */
  @Test
  void theDescriptorOfAChannelIsClosedThoughItsQueueIsCounted() throws Exception {
    ByteBuffer memory = OffHeap.allocate(2048).order(ByteOrder.nativeOrder()); // and 0, as a mutex
    int descriptor = verbs.createWaker();
    try {
      memory.putLong(1024, LibVerbs.address(memory));
      memory.putInt(1024 + VerbsLayout.CHANNEL_FD, descriptor);
      memory.putInt(1024 + VerbsLayout.CHANNEL_FD + Integer.BYTES, 1);
      verbs.destroyChannel(LibVerbs.address(memory) + 1024);
      assertThrows(IOException.class, () -> verbs.wake(descriptor));
    } finally {
      OffHeap.free(memory);
    }
  }

  private int pollResult(long queue) {
    try {
      return verbs.poll(queue, 1, 0);
    } catch (IOException e) { // the lower half of the address is negative
      return Integer.parseInt(e.getMessage().replaceAll(".* ", ""));
    }
  }
}
