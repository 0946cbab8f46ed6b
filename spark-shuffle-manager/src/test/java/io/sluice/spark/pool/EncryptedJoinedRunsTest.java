package io.sluice.spark.pool;

import io.sluice.spill.cipher.ShuffleKey;
import org.junit.jupiter.api.AfterEach;

/** Joined runs are decrypted, and encrypted anew. */
class EncryptedJoinedRunsTest extends JoinedRunsTest {
  private final ShuffleKey key = new ShuffleKey(new byte[32], "app-1", 128);

  @Override
  ShuffleKey key() {
    return key;
  }

  @AfterEach
  void closeKey() {
    key.close();
  }
}
