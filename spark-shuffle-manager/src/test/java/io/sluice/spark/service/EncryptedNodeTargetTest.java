package io.sluice.spark.service;

import io.sluice.spill.cipher.ShuffleKey;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The same with applications that encrypt: the service serves bytes that it cannot read. */
@Tag("slow")
class EncryptedNodeTargetTest extends NodeTargetTest {
  private final ShuffleKey key = new ShuffleKey(new byte[32], "app-1", 128);

  @Override
  ShuffleKey key() {
    return key;
  }

  @Override
  SparkConf conf() {
    return super.conf()
        .set("spark.authenticate", "true")
        .set("spark.network.crypto.enabled", "true");
  }

  @AfterEach
  void closeKey() {
    key.close();
  }
}
