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
