package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.NativeCalls.Libc;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What failures of native calls say. */
class NativeCallsTest {
  private static final int ENOENT = 2;

  /** As JNA says it for a mount noexec, and for a processor that it has no library for. */
  @Test
  void whyJnaDoesNotLoadItsLibraryIsSaidInOneLineWithTheRemedy() {
    UnsatisfiedLinkError noexec =
        new UnsatisfiedLinkError("/tmp/jna1.tmp: failed to map segment from shared object");
    NoClassDefFoundError later = new NoClassDefFoundError("Could not initialize class Native");
    later.initCause(new ExceptionInInitializerError(noexec));
    String expected =
        "native calls do not work: JNA does not load its own library (/tmp/jna1.tmp: failed to map"
            + " segment from shared object); let -Djna.tmpdir name a directory that is writable and"
            + " not mounted noexec, or -Djna.boot.library.path one with a libjnidispatch.so of the"
            + " same JNA for this system";
    assertEquals(expected, NativeCalls.unavailabilityCause(noexec));
    assertEquals(expected, NativeCalls.unavailabilityCause(later));
    String library = "Native library (com/sun/jna/linux-riscv64/libjnidispatch.so) not found";
    assertEquals(
        expected.replace(noexec.getMessage(), library),
        NativeCalls.unavailabilityCause(
            new UnsatisfiedLinkError(library + " in resource path (a.jar:b.jar)")));
  }

  /** A number alone says nothing to most people. */
  @Test
  void anErrorThatACallReturnsIsPutInWordsAsOneThatItSets() {
    LastErrorException set = null;
    try {
      Libc.open("/nowhere", Libc.O_RDONLY);
    } catch (LastErrorException e) {
      set = e;
    }
    IOException returned = NativeCalls.failure("open it", ENOENT);
    assertEquals(NativeCalls.failure("open it", set).getMessage(), returned.getMessage());
    assertTrue(returned.getMessage().startsWith("cannot open it: [2] "), returned.getMessage());
  }
}
