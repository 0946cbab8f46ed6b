package io.sluice.spill.format;

import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The checksums of one run: a CRC32C for each block of {@value #BLOCK_BYTES} bytes, of which the
 * last may be shorter. A run of one block, or of no byte, has one.
 *
 * <pre>
 *   run     |  block 0  |  block 1  |  block 2  |last|
 *           0         32 Ki       64 Ki       96 Ki  lengthBytes
 *   CRCs      first       further[0]  further[1]  further[2]
 * </pre>
 *
 * <p>A reader verifies a block before it hands out any byte of it. Blocks are as short as that: of
 * every run that is merged, one lies on the reader's heap.
 *
 * <p>Thread contract: immutable.
 */
public final class BlockChecksums {
  /** Length of a block. */
  public static final int BLOCK_BYTES = 32 << 10;

  private static final int[] NONE = {};

  private final int first;
  private final int[] further;

  private BlockChecksums(int first, int[] further) {
    this.first = first;
    this.further = further;
  }

  /** Takes over the array. */
  public static BlockChecksums of(int first, int... further) {
    return new BlockChecksums(first, further.length == 0 ? NONE : further);
  }

  /** How many blocks a run has beyond its first. */
  public static long furtherBlocks(long lengthBytes) {
    return Math.max(0, (lengthBytes - 1) / BLOCK_BYTES);
  }

  /** Length of a block of a run. */
  public static int blockBytes(long lengthBytes, long block) {
    return (int) Math.min(BLOCK_BYTES, lengthBytes - block * BLOCK_BYTES);
  }

  /** How many there are beyond the first. */
  public int furtherCount() {
    return further.length;
  }

  /** The CRC32C of a block, from 0 on. */
  public int crc32c(int block) {
    return block == 0 ? first : further[block - 1];
  }

  /** Whether there are as many as a run of this length has blocks. */
  public boolean fit(long lengthBytes) {
    return further.length == furtherBlocks(lengthBytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockChecksums that
        && first == that.first
        && Arrays.equals(further, that.further);
  }

  @Override
  public int hashCode() {
    return 31 * first + Arrays.hashCode(further);
  }

  @Override
  public String toString() {
    return String.format("%08x and %s further", first, further.length);
  }

  /** The CRC32C of one block that lies in an array. */
  public static int crc32c(byte[] bytes, int offset, int lengthBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, lengthBytes);
    return (int) crc.getValue();
  }
}
