package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.merge.RunInput.ChecksumException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VerifiedRunInputTest extends RunInputContract {
  private static final int BLOCK = BlockChecksums.BLOCK_BYTES;

  @Override
  protected RunInput open(byte[] bytes) {
    return open(bytes, bytes.length, BlockChecksummer.sum(ByteBuffer.wrap(bytes)));
  }

  /** Delivers as much as is asked for, but expects this length and these checksums. */
  static RunInput open(byte[] bytes, long lengthBytes, BlockChecksums checksums) {
    return new VerifiedRunInput(
        "map 7, partition 3", new WholeRunInput(bytes), lengthBytes, checksums);
  }

  /** The defect was: all but the last bytes of a damaged run came, and the user's code met them. */
  @Test
  void noByteOfADamagedBlockComesOut() throws Exception {
    Random random = TestSeed.random();
    byte[] run = new byte[5 * BLOCK + 100];
    random.nextBytes(run);
    BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(run));
    int[] places = {
      0,
      1,
      BLOCK - 1,
      BLOCK,
      BLOCK + 1,
      2 * BLOCK + BLOCK / 2,
      5 * BLOCK - 1,
      5 * BLOCK,
      run.length - 1,
      random.nextInt(run.length)
    };
    for (int place : places) {
      byte[] damaged = run.clone();
      damaged[place] ^= (byte) (1 << random.nextInt(8));
      for (int most : new int[] {1, 700, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK}) {
        RunInput input =
            new VerifiedRunInput(
                "map 7", new TrickleRunInput(damaged, random.nextLong()), run.length, checksums);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        ChecksumException e =
            assertThrows(ChecksumException.class, () -> drain(input, most, random, seen));
        int blockStart = place / BLOCK * BLOCK;
        assertArrayEquals(Arrays.copyOf(run, blockStart), seen.toByteArray());
        assertTrue(e.getMessage().contains("map 7"), e.getMessage());
        assertTrue(e.getMessage().contains("bytes from " + blockStart + " on"), e.getMessage());
        assertThrows(ChecksumException.class, () -> input.read(new byte[9], 0, 9), "once more");
      }
    }
  }

  /** Brings wrong bytes of a block so often, and then says whether the right ones are to be had. */
  private static final class MovingInput implements RunInput {
    private final byte[] bytes;
    private final Map<Integer, Integer> wrong; // by block, how often
    private final Random random;
    private final boolean movesOn;
    private int position;

    MovingInput(byte[] bytes, Map<Integer, Integer> wrong, boolean movesOn, Random random) {
      this.bytes = bytes;
      this.wrong = wrong;
      this.movesOn = movesOn;
      this.random = random;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      if (position == bytes.length) {
        return -1;
      }
      int n = Math.min(Math.min(1 + random.nextInt(BLOCK), lengthBytes), bytes.length - position);
      System.arraycopy(bytes, position, dst, offset, n);
      for (int i = 0; i < n; i++) {
        if (wrong.getOrDefault((position + i) / BLOCK, 0) > 0) {
          dst[offset + i] ^= 1;
        }
      }
      position += n;
      return n;
    }

    @Override
    public boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
      assertEquals(0, offsetBytes % BLOCK, "where a block begins");
      assertTrue(cause.getMessage().contains("bytes from " + offsetBytes + " on"));
      int block = (int) (offsetBytes / BLOCK);
      if (!movesOn) {
        return false;
      }
      position = (int) offsetBytes;
      if (wrong.merge(block, -1, Integer::sum) < 0) {
        throw new IOException("asked once more of block " + block);
      }
      return true;
    }

    @Override
    public long remainingBytes() {
      return bytes.length - position;
    }

    @Override
    public void close() {}
  }

  @Test
  void aBlockThatMovedIsReadAgain() throws Exception {
    Random random = TestSeed.random();
    byte[] run = new byte[7 * BLOCK + 100];
    random.nextBytes(run);
    BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(run));
    for (int most : new int[] {1, 700, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK}) {
      Map<Integer, Integer> wrong = new HashMap<>();
      for (int i = 0; i < 4; i++) {
        wrong.put(random.nextInt(8), 1 + random.nextInt(3));
      }
      int first = Collections.min(wrong.keySet());
      ByteArrayOutputStream seen = new ByteArrayOutputStream();
      RunInput moving = new MovingInput(run, new HashMap<>(wrong), true, random);
      drain(new VerifiedRunInput("map 7", moving, run.length, checksums), most, random, seen);
      assertArrayEquals(run, seen.toByteArray());

      seen.reset();
      RunInput damaged = new MovingInput(run, wrong, false, random);
      RunInput input = new VerifiedRunInput("map 7", damaged, run.length, checksums);
      assertThrows(ChecksumException.class, () -> drain(input, most, random, seen));
      assertArrayEquals(Arrays.copyOf(run, first * BLOCK), seen.toByteArray());
    }
  }

  @Test
  void whatIsFoundOutWhenABlockIsAskedForAgainIsTheFailure() throws Exception {
    RunInput lost =
        new RunInput() {
          @Override
          public int read(byte[] dst, int offset, int lengthBytes) {
            return lengthBytes;
          }

          @Override
          public boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
            throw new IOException("nobody holds it", cause);
          }

          @Override
          public long remainingBytes() {
            return 1;
          }

          @Override
          public void close() {}
        };
    RunInput input = new VerifiedRunInput("map 7", lost, 10, BlockChecksums.of(5));
    for (int i = 0; i < 2; i++) {
      IOException e = assertThrows(IOException.class, () -> input.read(new byte[9], 0, 9));
      assertEquals("nobody holds it", e.getMessage());
    }
  }

  @Test
  void aDamagedChecksumCountsAsADamagedBlock() throws Exception {
    Random random = TestSeed.random();
    byte[] run = new byte[4 * BLOCK];
    random.nextBytes(run);
    for (int block = 0; block < 4; block++) {
      int[] crcs = new int[4];
      for (int i = 0; i < 4; i++) {
        crcs[i] = BlockChecksums.crc32c(run, i * BLOCK, BLOCK) ^ (i == block ? 1 << 17 : 0);
      }
      RunInput input = open(run, run.length, BlockChecksums.of(crcs[0], crcs[1], crcs[2], crcs[3]));
      ByteArrayOutputStream seen = new ByteArrayOutputStream();
      assertThrows(ChecksumException.class, () -> drain(input, 9999, random, seen));
      assertEquals(block * BLOCK, seen.size());
    }
  }

  private static void drain(RunInput input, int most, Random random, ByteArrayOutputStream seen)
      throws IOException {
    byte[] dst = new byte[most];
    while (true) {
      int n = input.read(dst, 0, 1 + random.nextInt(most));
      if (n < 0) {
        return;
      }
      seen.write(dst, 0, n);
    }
  }

  @Test
  void saysWhichBytesOfWhichRunAreDamaged() {
    RunInput input = open(new byte[100], 100, BlockChecksums.of(0x1234));
    ChecksumException e =
        assertThrows(ChecksumException.class, () -> input.read(new byte[200], 0, 99));
    assertTrue(
        e.getMessage()
            .startsWith("run map 7, partition 3: CRC32C of the 100 bytes from 0 on, of 100, is "),
        e.getMessage());
    assertTrue(e.getMessage().contains("expected 00001234"), e.getMessage());
  }

  @Test
  void checksAnEmptyRunToo() throws Exception {
    assertEquals(-1, open(new byte[0]).read(new byte[1], 0, 1));
    RunInput damaged = open(new byte[0], 0, BlockChecksums.of(5));
    assertThrows(ChecksumException.class, () -> damaged.read(new byte[1], 0, 1));
  }

  @Test
  void failsOnARunShorterOrLongerThanExpected() throws Exception {
    byte[] bytes = new byte[100];
    byte[] dst = new byte[200];
    RunInput shorter = open(bytes, 101, BlockChecksummer.sum(ByteBuffer.wrap(bytes)));
    IOException e = assertThrows(IOException.class, () -> shorter.read(dst, 0, 200));
    assertTrue(e.getMessage().contains("ends after 100 bytes, expected its end after 101"));
    assertThrows(IOException.class, () -> shorter.read(dst, 0, 1));
    RunInput longer = open(bytes, 99, BlockChecksummer.sum(ByteBuffer.allocate(99)));
    assertEquals(99, longer.read(dst, 0, 200));
    e = assertThrows(IOException.class, () -> longer.read(dst, 0, 200));
    assertTrue(e.getMessage().contains("goes on behind 99 bytes"), e.getMessage());
  }

  @Test
  void refusesChecksumsOfAnotherLength() {
    assertThrows(
        IllegalArgumentException.class,
        () -> open(new byte[BLOCK + 1], BLOCK + 1, BlockChecksums.of(1)));
  }
}
