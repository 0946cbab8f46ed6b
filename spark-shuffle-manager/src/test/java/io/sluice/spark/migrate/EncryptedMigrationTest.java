package io.sluice.spark.migrate;

import io.sluice.spill.cipher.ShuffleKey;
import org.junit.jupiter.api.AfterEach;

/** Moved outputs are plain where Spark sends them, and encrypted in both pools. */
class EncryptedMigrationTest extends MigrationTest {
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
