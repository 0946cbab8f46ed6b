package io.sluice.spill.cipher;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RawKeyTest {
  private static final int KEY_BYTES = 1 << 20;
  private static final int TIMES = 200;

  /** A key of zeros would make a true output look forged. */
  @Test
  void whoUsesItWhileItIsDestroyedNeverGetsZeros() throws InterruptedException {
    for (int time = 0; time < TIMES; time++) {
      byte[] bytes = new byte[KEY_BYTES];
      Arrays.fill(bytes, (byte) 1);
      RawKey key = new RawKey(bytes, "AES");
      Thread destroying = new Thread(key::destroy);
      destroying.start();
      try {
        while (true) {
          byte[] used = key.getEncoded();
          assertTrue(used[0] == 1 && used[KEY_BYTES - 1] == 1, "zeros, the " + time + "th time");
        }
      } catch (IllegalStateException e) {
        assertTrue(key.isDestroyed());
      }
      destroying.join();
    }
    RawKey key = new RawKey(new byte[16], "AES");
    key.destroy();
    assertThrows(IllegalStateException.class, key::getEncoded);
  }
}
