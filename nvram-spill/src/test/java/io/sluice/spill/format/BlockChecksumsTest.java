package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checksums of runs, against the simplest way to make them. */
public class BlockChecksumsTest {
  private static final int BLOCK = BlockChecksums.BLOCK_BYTES;

  /** Each block summed up by itself. */
  public static BlockChecksums naive(byte[] run) {
    int blocks = Math.max(1, (run.length + BLOCK - 1) / BLOCK);
    int[] sums = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      CRC32C crc = new CRC32C();
      crc.update(Arrays.copyOfRange(run, i * BLOCK, Math.min(run.length, (i + 1) * BLOCK)));
      sums[i] = (int) crc.getValue();
    }
    return BlockChecksums.of(sums[0], Arrays.copyOfRange(sums, 1, blocks));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 20 * BLOCK - 1, 40 * BLOCK + 7})
  void areTheSameInWhateverPiecesTheBytesCome(int lengthBytes) {
    Random random = TestSeed.random();
    byte[] run = new byte[lengthBytes];
    random.nextBytes(run);
    BlockChecksums expected = naive(run);
    assertEquals(expected, BlockChecksummer.sum(ByteBuffer.wrap(run)));
    assertTrue(expected.fit(lengthBytes));
    assertFalse(expected.fit(lengthBytes + 2 * BLOCK));
    BlockChecksummer summer = new BlockChecksummer();
    for (int round = 0; round < 20; round++) {
      ByteBuffer left = ByteBuffer.wrap(run);
      while (left.hasRemaining()) {
        int n = Math.min(left.remaining(), random.nextInt(1 << random.nextInt(18)));
        summer.update(left.slice().limit(n));
        left.position(left.position() + n);
      }
      assertEquals(expected, summer.finish(), "round " + round);
    }
  }

  @Test
  void aRunOfOneBlockHasNoneBeyondTheFirst() {
    assertEquals(0, BlockChecksums.furtherBlocks(0));
    assertEquals(0, BlockChecksums.furtherBlocks(BLOCK));
    assertEquals(1, BlockChecksums.furtherBlocks(BLOCK + 1));
    assertEquals((1L << 40) / BLOCK - 1, BlockChecksums.furtherBlocks(1L << 40));
    assertEquals(BLOCK, BlockChecksums.blockBytes(BLOCK + 1, 0));
    assertEquals(1, BlockChecksums.blockBytes(BLOCK + 1, 1));
  }
}
