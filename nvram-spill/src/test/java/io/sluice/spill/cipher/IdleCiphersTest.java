package io.sluice.spill.cipher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.cipher.FrameCipher.IdleCiphers;
import io.sluice.spill.format.OutputId;
import org.junit.jupiter.api.Test;

class IdleCiphersTest {
  private static final byte[] SALT = new byte[RunLayout.SALT_BYTES];
  private static final byte[] OTHER_SALT = {1};

  private final IdleCiphers idle = new IdleCiphers();

  private static OutputId id(int number) {
    return new OutputId("application_1", "attempt_" + number);
  }

  private static FrameCipher cipher() {
    return RunKey.decrypting(new RawKey(new byte[16], "AES"));
  }

  @Test
  void oneIsForTheSameWriterAloneAndForOneRunAtATime() {
    FrameCipher cipher = cipher();
    idle.give(id(1), SALT, cipher);
    assertNull(idle.take(id(2), SALT));
    assertNull(idle.take(id(1), OTHER_SALT));
    assertSame(cipher, idle.take(id(1), SALT.clone()));
    assertNull(idle.take(id(1), SALT));
    assertFalse(cipher.key().isDestroyed());
  }

  @Test
  void thatWhichIsHereLongestGoesFirst() {
    FrameCipher first = cipher();
    FrameCipher second = cipher();
    idle.give(id(0), SALT, first);
    idle.give(id(1), SALT, second);
    for (int i = 2; i <= IdleCiphers.MOST; i++) {
      idle.give(id(i), SALT, cipher());
    }
    assertEquals(IdleCiphers.MOST, idle.count());
    assertTrue(first.key().isDestroyed());
    assertSame(second, idle.take(id(1), SALT));
  }

  @Test
  void ofTwoOfOneWriterOneStays() {
    FrameCipher first = cipher();
    FrameCipher second = cipher();
    idle.give(id(1), SALT, first);
    idle.give(id(1), SALT, second);
    assertTrue(first.key().isDestroyed());
    assertSame(second, idle.take(id(1), SALT));
  }

  @Test
  void noneSurvivesItsClose() {
    FrameCipher here = cipher();
    FrameCipher late = cipher();
    idle.give(id(1), SALT, here);
    idle.close();
    idle.give(id(2), SALT, late);
    assertTrue(here.key().isDestroyed());
    assertTrue(late.key().isDestroyed());
    assertNull(idle.take(id(1), SALT));
  }
}
