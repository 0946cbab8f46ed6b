package io.sluice.spill.cipher;

import static io.sluice.spill.cipher.CipherFixture.OUTPUT;
import static io.sluice.spill.cipher.CipherFixture.PARTITIONS;
import static io.sluice.spill.cipher.CipherFixture.drain;
import static io.sluice.spill.cipher.CipherFixture.encrypt;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.cipher.CipherFixture.ArrayInput;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import io.sluice.spill.merge.RunInputContract;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes out is what went in, or nothing does: whoever changed the bytes mended the CRCs. */
class DecryptedRunInputTest extends RunInputContract {
  private static final int BLOCK = BlockChecksums.BLOCK_BYTES;
  private static final int PARTITION = 3;

  private final ShuffleKey job = CipherFixture.key();
  private final OutputKey writer = job.newOutput(OUTPUT, PARTITIONS);
  private final Random random = TestSeed.random();

  @AfterEach
  void close() {
    writer.close();
    job.close();
  }

  @Override
  protected RunInput open(byte[] bytes) throws IOException {
    return open(encrypt(writer, PARTITION, bytes), 0);
  }

  private RunInput open(byte[] stored, int ordinal) {
    return new DecryptedRunInput(
        "map 7", new ArrayInput(stored), stored.length, job.reading(OUTPUT), PARTITION, ordinal);
  }

  private byte[] random(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private ForgedRunException assertForged(RunInput input) {
    return assertForged(input, new byte[0]);
  }

  /** Whole frames before the wrong one may have come out, and nothing else. */
  private ForgedRunException assertForged(RunInput input, byte[] before) {
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    ForgedRunException e =
        assertThrows(ForgedRunException.class, () -> drain(input, 40_000, random, seen));
    assertArrayEquals(before, seen.toByteArray());
    assertTrue(e.getMessage().startsWith("run map 7 is not what"), e.getMessage());
    return e;
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 2, 32_707, 32_708, 32_709, 32_767, 32_768, 65_455, 65_456, 65_457, 98_204, 98_205,
        300_000
      })
  void anyLength(int length) throws IOException {
    byte[] plain = random(length);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      byte[] stored = encrypt(writer, PARTITION, plain);
      assertEquals(RunEncryptor.storedBytes(length), stored.length);
      assertEquals(length, DecryptedRunInput.plainBytes(stored.length));
      for (int most : new int[] {1, 700, 32_707, 32_708, 32_748, 100_000}) {
        assertArrayEquals(plain, drain(open(stored, ordinal), most, random));
      }
    }
    assertEquals(3L * length, job.stats().encryptedBytes());
    assertEquals(6 * 3L * length, job.stats().decryptedBytes());
  }

  /** A frame ends where a block does, so a block that was verified is a frame. */
  @Test
  void aFrameIsABlock() throws IOException {
    byte[] stored = encrypt(writer, PARTITION, random(100_000));
    for (int frame = 0; frame < 4; frame++) {
      int offset = frame * BLOCK + RunLayout.frameOffset(frame);
      int expected = frame < 3 ? RunLayout.fullBytes(frame) : 100_000 - 32_708 - 2 * 32_748;
      int said = ByteBuffer.wrap(stored).getInt(offset);
      assertEquals(expected, said & Integer.MAX_VALUE);
      assertEquals(frame == 3, said < 0, "last");
    }
    RunInput verified =
        new VerifiedRunInput(
            "map 7",
            new ArrayInput(stored),
            stored.length,
            BlockChecksummer.sum(ByteBuffer.wrap(stored)));
    RunInput input =
        new DecryptedRunInput("map 7", verified, stored.length, job.reading(OUTPUT), PARTITION, 0);
    assertEquals(100_000, drain(input, 50_000, random).length);
  }

  @Test
  void noByteCanBeChanged() throws IOException {
    byte[] plain = random(70_000); // three frames
    byte[] stored = encrypt(writer, PARTITION, plain);
    for (int place = 0; place < stored.length; place++) {
      assertChangeIsFound(stored, place, 1 << random.nextInt(8), plain);
    }
    int[] framings = {0, BLOCK - 16, BLOCK, 2 * BLOCK - 16, 2 * BLOCK, stored.length - 16};
    for (int from : framings) {
      for (int place = from; place < Math.min(stored.length, from + 48); place++) {
        for (int bit = 0; bit < 8; bit++) {
          assertChangeIsFound(stored, place, 1 << bit, plain);
        }
      }
    }
  }

  private void assertChangeIsFound(byte[] stored, int place, int bits, byte[] plain) {
    int frame = place / BLOCK;
    stored[place] ^= (byte) bits;
    assertForged(open(stored, 0), Arrays.copyOf(plain, frame == 0 ? 0 : frame * 32_748 - 40));
    stored[place] ^= (byte) bits;
  }

  @Test
  void framesLeftOutOrDoubledOrSwapped() throws IOException {
    byte[] plain = random(4 * BLOCK);
    byte[] stored = encrypt(writer, PARTITION, plain);
    byte[] firstPlain = Arrays.copyOf(plain, RunLayout.FULL_FIRST_BYTES);
    byte[] first = Arrays.copyOf(stored, BLOCK);
    byte[] second = Arrays.copyOfRange(stored, BLOCK, 2 * BLOCK);
    byte[] third = Arrays.copyOfRange(stored, 2 * BLOCK, 3 * BLOCK);
    byte[] rest = Arrays.copyOfRange(stored, 3 * BLOCK, stored.length);
    assertForged(open(joined(first, joined(third, rest)), 0), firstPlain);
    assertForged(
        open(joined(first, joined(second, joined(second, joined(third, rest)))), 0),
        Arrays.copyOf(plain, RunLayout.FULL_FIRST_BYTES + RunLayout.FULL_BYTES));
    assertForged(open(joined(first, joined(third, joined(second, rest))), 0), firstPlain);
  }

  @Test
  void aRunThatWasCutOrMadeLonger() throws IOException {
    byte[] plain = random(2 * BLOCK);
    byte[] stored = encrypt(writer, PARTITION, plain);
    for (int length : new int[] {0, 1, 39, 40, 59, 60, BLOCK, BLOCK + 1, 2 * BLOCK}) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertThrows(ForgedRunException.class, () -> drain(open(cut, 0), 50_000, random));
    }
    byte[] ended = Arrays.copyOf(stored, BLOCK); // and said to end there
    ended[RunLayout.HEADER_BYTES] |= (byte) 0x80;
    assertForged(open(ended, 0));
    byte[] longer = joined(stored, new byte[1]);
    assertThrows(ForgedRunException.class, () -> drain(open(longer, 0), 50_000, random));
    RunInput goesOn =
        new DecryptedRunInput(
            "map 7", new ArrayInput(longer), stored.length, job.reading(OUTPUT), PARTITION, 0);
    assertForged(goesOn, plain);
    RunInput ends =
        new DecryptedRunInput(
            "map 7",
            new ArrayInput(Arrays.copyOf(stored, 100)),
            stored.length,
            job.reading(OUTPUT),
            PARTITION,
            0);
    assertForged(ends);
  }

  /** All of the next are good runs, of something else. */
  @Test
  void anotherRun() throws IOException {
    byte[] plain = random(1000);
    byte[] first = encrypt(writer, PARTITION, plain);
    byte[] second = encrypt(writer, PARTITION, plain);
    assertForged(open(second, 0));
    assertForged(open(first, 1));
    assertForged(open(encrypt(writer, PARTITION + 1, plain), 0));

    // Even if the header says what is expected: frames know which run they are of.
    byte[] renamed = second.clone();
    ByteBuffer.wrap(renamed).putInt(RunLayout.ORDINAL_OFFSET, 0);
    assertForged(open(renamed, 0));

    byte[] otherHeader = joined(Arrays.copyOf(first, 40), Arrays.copyOfRange(second, 40, 1060));
    assertForged(open(otherHeader, 0));
  }

  @Test
  void anotherOutputOrWriterOrJob() throws IOException {
    byte[] plain = random(1000);
    OutputId other = new OutputId(OUTPUT.applicationId(), "attempt_1_0001_m_000003_1");
    try (OutputKey ofOther = job.newOutput(other, PARTITIONS);
        OutputKey sameAgain = job.newOutput(OUTPUT, PARTITIONS);
        ShuffleKey anotherJobs = CipherFixture.key("another secret");
        OutputKey ofAnotherJob = anotherJobs.newOutput(OUTPUT, PARTITIONS)) {
      assertForged(open(encrypt(ofOther, PARTITION, plain), 0));
      ForgedRunException e = assertForged(open(encrypt(ofAnotherJob, PARTITION, plain), 0));
      assertTrue(e.getMessage().contains("with another key"), e.getMessage());

      byte[] stored = encrypt(sameAgain, PARTITION, plain);
      assertArrayEquals(plain, drain(open(stored, 0), 999, random), "a writer of this output");
      RunInput own =
          new DecryptedRunInput(
              "map 7", new ArrayInput(stored), stored.length, writer, PARTITION, 0);
      assertForged(own); // but who reads what it wrote itself takes no other writer's
      byte[] resalted = encrypt(writer, PARTITION, plain);
      System.arraycopy(stored, RunLayout.SALT_OFFSET, resalted, RunLayout.SALT_OFFSET, 16);
      assertForged(open(resalted, 0));
    }
  }

  /** As at the end of a process; who reads on must not blame the run for it. */
  @Test
  void aKeyThatIsGoneIsNoForgery() throws IOException {
    byte[] stored = encrypt(writer, PARTITION, random(3 * BLOCK));
    RunInput input = open(stored, 0);
    job.close();
    for (int i = 0; i < 2; i++) {
      assertThrows(IllegalStateException.class, () -> input.read(new byte[2000], 0, 2000));
    }
  }

  @Test
  void lengthsOfNoRunAreNotNegative() {
    for (int storedBytes = 0; storedBytes < RunLayout.MIN_RUN_BYTES; storedBytes++) {
      assertEquals(0, DecryptedRunInput.plainBytes(storedBytes));
    }
  }

  @Test
  void aRunThatIsNotEncrypted() {
    assertForged(open(random(50_000), 0));
    assertForged(open(random(10), 0));
  }

  @Test
  void failsForEverAndAfterItsEnd() throws IOException {
    byte[] stored = encrypt(writer, PARTITION, random(1000));
    stored[500] ^= 1;
    RunInput forged = open(stored, 0);
    for (int i = 0; i < 2; i++) {
      assertThrows(ForgedRunException.class, () -> forged.read(new byte[2000], 0, 2000));
    }
    stored[500] ^= 1;
    RunInput closed = open(stored, 0);
    assertEquals(10, closed.read(new byte[10], 0, 10));
    closed.close();
    assertThrows(ClosedRunException.class, () -> closed.read(new byte[10], 0, 10));
    forged.close();
    assertThrows(ForgedRunException.class, () -> forged.read(new byte[10], 0, 10), "it was known");
  }

  /** As a thread does that ends a task while another one reads. */
  @Test
  void closedInTheMiddleOfARead() throws IOException {
    byte[] stored = encrypt(writer, PARTITION, random(2 * BLOCK));
    for (int reads = 1; reads <= 3; reads++) {
      for (boolean endsEarly : new boolean[] {false, true}) {
        ClosedByRead source = new ClosedByRead(stored, reads, endsEarly);
        RunInput input =
            new DecryptedRunInput(
                "map 7", source, stored.length, job.reading(OUTPUT), PARTITION, 0);
        source.closes = input;
        assertThrows(
            ClosedRunException.class,
            () -> drain(input, BLOCK, random, new ByteArrayOutputStream()));
      }
    }
  }

  /** Has its reader closed while it is read for the n-th time, and may then be at its end. */
  private static final class ClosedByRead implements RunInput {
    private final ArrayInput bytes;
    private final boolean endsEarly;
    private int reads;
    private RunInput closes;

    ClosedByRead(byte[] bytes, int reads, boolean endsEarly) {
      this.bytes = new ArrayInput(bytes);
      this.reads = reads;
      this.endsEarly = endsEarly;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      if (--reads == 0) {
        closes.close();
        return endsEarly ? -1 : bytes.read(dst, offset, lengthBytes);
      }
      return bytes.read(dst, offset, lengthBytes);
    }

    @Override
    public long remainingBytes() {
      return bytes.remainingBytes();
    }

    @Override
    public void close() {}
  }

  @Test
  void samePlaintextIsNeverTheSameCiphertext() throws IOException {
    byte[] plain = random(1000);
    byte[] first = encrypt(writer, PARTITION, plain);
    byte[] second = encrypt(writer, PARTITION, plain);
    for (int i = RunLayout.HEADER_BYTES + RunLayout.LENGTH_BYTES; i < 1000; i += 16) {
      assertNotEquals(
          ByteBuffer.wrap(first, i, 16), ByteBuffer.wrap(second, i, 16), "16 bytes at " + i);
    }
  }

  @Test
  void aLongKeyWorksToo() throws IOException {
    byte[] plain = random(100_000);
    try (ShuffleKey longKey = new ShuffleKey(new byte[32], OUTPUT.applicationId(), 192);
        OutputKey key = longKey.newOutput(OUTPUT, PARTITIONS)) {
      assertEquals("AES-256-GCM", longKey.toString());
      byte[] stored = encrypt(key, PARTITION, plain);
      RunInput input =
          new DecryptedRunInput(
              "map 7",
              new ArrayInput(stored),
              stored.length,
              longKey.reading(OUTPUT),
              PARTITION,
              0);
      assertArrayEquals(plain, drain(input, 40_000, random));
    }
  }

  /** Only one that has read its run to the end is used again. */
  @Test
  void aCipherIsUsedForTheNextRunOfItsWriter() throws IOException {
    byte[] plain = random(100);
    byte[] first = encrypt(writer, PARTITION, plain);
    byte[] second = encrypt(writer, PARTITION, plain);
    byte[] third = encrypt(writer, PARTITION, plain);
    assertArrayEquals(plain, drain(open(first, 0), 50, random));
    assertEquals(1, job.idleCiphers());
    RunInput reading = open(second, 1);
    reading.read(new byte[10], 0, 10);
    assertEquals(0, job.idleCiphers());
    assertArrayEquals(plain, drain(open(third, 2), 50, random), "while the other one is in use");
    reading.close();
    assertEquals(1, job.idleCiphers());
    byte[] changed = third.clone();
    changed[changed.length - 1] ^= 1;
    assertForged(open(changed, 2));
    assertEquals(0, job.idleCiphers());
    assertArrayEquals(plain, drain(open(third, 2), 50, random));
  }
}
