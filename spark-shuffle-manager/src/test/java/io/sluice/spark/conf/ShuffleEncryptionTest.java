package io.sluice.spark.conf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which applications encrypt their map outputs, and which of them have the same key. */
class ShuffleEncryptionTest {
  private static final OutputId OUTPUT = new OutputId("app-1", "shuffle_0_0");
  private static final byte[] PLAIN = {1, 2, 3};

  private final SparkConf conf = new SparkConf(false).set("spark.app.id", "app-1");

  private ShuffleKey key(String sparkSecret) {
    return ApplicationSecret.shuffleKey(conf, sparkSecret);
  }

  @Test
  void nothingIsLookedAtWhereTrafficIsNotEncrypted() {
    conf.set("spark.authenticate", "true").set("spark.network.crypto.keyLength", "many");
    assertNull(key("secret"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.network.crypto.enabled",
        "spark.ssl.rpc.enabled",
        "spark.authenticate.enableSaslEncryption"
      })
  void allProcessesOfAnApplicationMakeTheSameKeyAndNobodyElse(String setting) throws IOException {
    conf.set(setting, "true");
    ApplicationSecret.create(conf);
    try (ShuffleKey writers = key("secret");
        ShuffleKey readers = key("secret");
        ShuffleKey others = key("another secret");
        ShuffleKey withoutSpark = key(null)) {
      byte[] stored = encrypt(writers);
      assertArrayEquals(PLAIN, decrypt(stored, readers));
      assertThrows(ForgedRunException.class, () -> decrypt(stored, others));
      assertThrows(ForgedRunException.class, () -> decrypt(stored, withoutSpark));
      ApplicationSecret.create(conf);
      try (ShuffleKey withAnotherDriver = key("secret")) {
        assertThrows(ForgedRunException.class, () -> decrypt(stored, withAnotherDriver));
      }
    }
  }

  @Test
  void keysAreAsLongAsSparks() {
    conf.set("spark.network.crypto.enabled", "true");
    ApplicationSecret.create(conf);
    assertEquals("AES-128-GCM", key("secret").toString());
    conf.set("spark.network.crypto.keyLength", "256");
    assertEquals("AES-256-GCM", key("secret").toString());
  }

  private static byte[] encrypt(ShuffleKey key) throws IOException {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    try (OutputKey output = key.newOutput(OUTPUT, 1)) {
      RunEncryptor encryptor = new RunEncryptor(output, stored::write);
      encryptor.beginRun(0);
      encryptor.write(PLAIN, 0, PLAIN.length);
      encryptor.endRun();
    }
    return stored.toByteArray();
  }

  private static byte[] decrypt(byte[] stored, ShuffleKey key) throws IOException {
    ByteArrayInputStream bytes = new ByteArrayInputStream(stored);
    RunInput input =
        new RunInput() {
          @Override
          public int read(byte[] dst, int offset, int lengthBytes) {
            return bytes.read(dst, offset, lengthBytes);
          }

          @Override
          public long remainingBytes() {
            return bytes.available();
          }

          @Override
          public void close() {}
        };
    try (RunInput plain =
        new DecryptedRunInput("test", input, stored.length, key.reading(OUTPUT), 0, 0)) {
      byte[] read = new byte[PLAIN.length];
      assertEquals(PLAIN.length, plain.read(read, 0, read.length));
      return read;
    }
  }
}
