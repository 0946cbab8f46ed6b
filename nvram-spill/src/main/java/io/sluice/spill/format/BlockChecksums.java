package io.sluice.spill.format;

import java.nio.ByteBuffer;
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
 * <p>A reader verifies a block before it hands out any byte of it. Blocks are short because a merge
 * holds one block of every run on its heap.
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

  /** Number of blocks of a run beyond its first. */
  public static long furtherBlocks(long lengthBytes) {
    return Math.max(0, (lengthBytes - 1) / BLOCK_BYTES);
  }

  /** Length of a block of a run. */
  public static int blockBytes(long lengthBytes, long block) {
    return (int) Math.min(BLOCK_BYTES, lengthBytes - block * BLOCK_BYTES);
  }

  /** Number of checksums beyond the first. */
  public int furtherCount() {
    return further.length;
  }

  /** The CRC32C of a block, from 0 on. */
  public int crc32c(int block) {
    return block == 0 ? first : further[block - 1];
  }

  /** Whether a run of this length has as many blocks as there are checksums. */
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

  /**
   * Computes the checksums of a run while it is written, in pieces of any length.
   *
   * <p>Thread contract: one thread. After {@link #finish} it begins the next run.
   */
  public static final class BlockChecksummer {
    private static final int FIRST_CAPACITY = 16;
    private static final int[] NONE = {};

    private final CRC32C crc = new CRC32C();
    private int first;
    private int[] further = NONE;
    private int fullBlocks;
    private int blockBytes;

    /** The checksums of the remaining bytes of a buffer, whose position stays. */
    public static BlockChecksums sum(ByteBuffer bytes) {
      BlockChecksummer summer = new BlockChecksummer();
      summer.update(bytes.duplicate());
      return summer.finish();
    }

    /** Adds the remaining bytes of a buffer, which are then consumed. */
    public void update(ByteBuffer bytes) {
      int limit = bytes.limit();
      while (bytes.position() < limit) {
        bytes.limit(bytes.position() + roomFor(limit - bytes.position()));
        blockBytes += bytes.remaining();
        crc.update(bytes);
      }
    }

    /** Adds bytes of an array. */
    public void update(byte[] bytes, int offset, int lengthBytes) {
      update(ByteBuffer.wrap(bytes, offset, lengthBytes));
    }

    /** A full block ends when more bytes come or at the end of the run: it may be the last. */
    private int roomFor(int lengthBytes) {
      if (blockBytes == BlockChecksums.BLOCK_BYTES) {
        endBlock();
      }
      return Math.min(lengthBytes, BlockChecksums.BLOCK_BYTES - blockBytes);
    }

    private void endBlock() {
      int value = (int) crc.getValue();
      crc.reset();
      blockBytes = 0;
      if (fullBlocks == 0) {
        first = value;
      } else {
        if (fullBlocks > further.length) {
          further = Arrays.copyOf(further, Math.max(FIRST_CAPACITY, 2 * further.length));
        }
        further[fullBlocks - 1] = value;
      }
      fullBlocks++;
    }

    /** The checksums of all bytes since the last call. */
    public BlockChecksums finish() {
      endBlock();
      int[] rest = fullBlocks == 1 ? NONE : Arrays.copyOf(further, fullBlocks - 1);
      fullBlocks = 0;
      return BlockChecksums.of(first, rest);
    }
  }
}
