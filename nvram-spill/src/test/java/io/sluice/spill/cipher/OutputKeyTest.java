package io.sluice.spill.cipher;

import static io.sluice.spill.cipher.CipherFixture.OUTPUT;
import static io.sluice.spill.cipher.CipherFixture.PARTITIONS;
import static io.sluice.spill.cipher.CipherFixture.drain;
import static io.sluice.spill.cipher.CipherFixture.encrypt;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.cipher.CipherFixture.ArrayInput;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.RunEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No nonce is used twice with a key, and no key stays when nobody needs it. */
class OutputKeyTest {
  private final ShuffleKey job = CipherFixture.key();

  /** Salt, partition and ordinal of every run that was begun, as far as it was written. */
  private final Set<String> runs = new HashSet<>();

  private final class Recording implements RunEncoder.Sink {
    private final Random random;
    private final boolean fails;
    private boolean begun;

    Recording(Random random, boolean fails) {
      this.random = random;
      this.fails = fails;
    }

    void begin() {
      begun = false;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!begun) {
        byte[] named = Arrays.copyOfRange(bytes, offset + RunLayout.SALT_OFFSET, offset + 40);
        assertTrue(runs.add(HexFormat.of().formatHex(named)), "a nonce is used twice");
        begun = true;
      }
      if (fails && random.nextInt(4) == 0) {
        throw new IOException("the pool is full");
      }
    }
  }

  @Test
  void noNonceTwice() {
    Random random = TestSeed.random();
    int begun = 0;
    for (int writer = 0; writer < 20; writer++) {
      OutputKey key =
          writer % 5 == 4 ? job.newScratch() : job.newOutput(OUTPUT, PARTITIONS); // same output
      int partitions = writer % 5 == 4 ? 1 : PARTITIONS;
      Recording sink = new Recording(random, writer % 2 == 0);
      RunEncryptor encryptor = new RunEncryptor(key, sink);
      for (int run = 0; run < 50; run++) {
        sink.begin();
        encryptor.beginRun(random.nextInt(partitions));
        try {
          encryptor.write(new byte[70_000], 0, random.nextInt(70_000));
          encryptor.endRun();
        } catch (IOException e) {
          assertEquals("the pool is full", e.getMessage());
        }
        begun++;
      }
      key.close();
    }
    assertEquals(begun, runs.size());
  }

  @Test
  void scratchIsReadByItsOwnKeyAlone() throws IOException {
    byte[] plain = new byte[100];
    try (OutputKey scratch = job.newScratch();
        OutputKey other = job.newScratch()) {
      byte[] stored = encrypt(scratch, 0, plain);
      ArrayInput input = new ArrayInput(stored);
      assertArrayEquals(
          plain,
          drain(
              new DecryptedRunInput("round 1", input, stored.length, scratch, 0, 0),
              10,
              new Random(1)));
      for (RunKey wrong : new RunKey[] {other, job.reading(OUTPUT)}) {
        assertThrows(
            ForgedRunException.class,
            () ->
                new DecryptedRunInput("round 1", new ArrayInput(stored), stored.length, wrong, 0, 0)
                    .read(new byte[9], 0, 9));
      }
    }
  }

  @Test
  void everyTaskOfAJobHasTheSameKeyAndNobodyElse() throws IOException {
    byte[] plain = {1, 2, 3};
    try (OutputKey writer = job.newOutput(OUTPUT, PARTITIONS);
        ShuffleKey reader = CipherFixture.key();
        ShuffleKey otherApplication = new ShuffleKey(new byte[20], "application_2", 128)) {
      byte[] stored = encrypt(writer, 2, plain);
      assertArrayEquals(
          plain,
          drain(
              new DecryptedRunInput(
                  "map 7", new ArrayInput(stored), stored.length, reader.reading(OUTPUT), 2, 0),
              10,
              new Random(1)));
      assertThrows(IllegalArgumentException.class, () -> otherApplication.reading(OUTPUT));
      assertThrows(
          IllegalArgumentException.class, () -> otherApplication.newOutput(OUTPUT, PARTITIONS));
    }
  }

  /** Else "a" of "bc" would have the key of "ab" of "c". */
  @Test
  void whereANameEndsIsPartOfTheKey() throws IOException {
    byte[] secret = new byte[20];
    try (ShuffleKey first = new ShuffleKey(secret, "ab", 128);
        ShuffleKey second = new ShuffleKey(secret, "a", 128)) {
      byte[] salt = new byte[RunLayout.SALT_BYTES];
      byte[] marker = encrypt(first.newOutput(new OutputId("ab", "c"), 1), 0, new byte[0]);
      byte[] otherMarker = encrypt(second.newOutput(new OutputId("a", "bc"), 1), 0, new byte[0]);
      RawKey firstKey = open(first.reading(new OutputId("ab", "c")), marker, salt);
      RawKey secondKey = open(second.reading(new OutputId("a", "bc")), otherMarker, salt);
      assertFalse(Arrays.equals(firstKey.getEncoded(), secondKey.getEncoded()));
    }
  }

  private static RawKey open(RunKey key, byte[] run, byte[] salt) throws IOException {
    return key.open("map 7", Arrays.copyOf(run, RunLayout.MARKER_BYTES), salt).key();
  }

  @Test
  void aKeyThatIsClosedIsZero() throws IOException {
    OutputKey writer = job.newOutput(OUTPUT, PARTITIONS);
    RunEncryptor encryptor = new RunEncryptor(writer, new ByteArrayOutputStream()::write);
    encryptor.beginRun(0);
    writer.close();
    assertTrue(writer.aes().isDestroyed());
    assertThrows(IllegalStateException.class, encryptor::endRun);
    job.close();
    assertThrows(IllegalStateException.class, () -> job.newOutput(OUTPUT, PARTITIONS));
  }

  @Test
  void bytesOfAKeyBecomeZero() {
    byte[] bytes = {1, 2, 3};
    RawKey key = new RawKey(bytes, "AES");
    assertArrayEquals(new byte[] {1, 2, 3}, key.getEncoded());
    key.destroy();
    assertArrayEquals(new byte[3], bytes);
    assertThrows(IllegalStateException.class, key::getEncoded);
  }

  @Test
  void textsShowNoKey() {
    assertEquals("AES-128-GCM", job.toString());
    try (OutputKey writer = job.newOutput(OUTPUT, PARTITIONS)) {
      assertEquals("AES key of 128 bits", writer.toString());
    }
  }

  @Test
  void runsThatAreNotOpenAreNotWritten() {
    OutputKey writer = job.newOutput(OUTPUT, PARTITIONS);
    RunEncryptor encryptor = new RunEncryptor(writer, new ByteArrayOutputStream()::write);
    assertThrows(IllegalStateException.class, encryptor::endRun);
    assertThrows(IndexOutOfBoundsException.class, () -> encryptor.beginRun(PARTITIONS));
  }
}
