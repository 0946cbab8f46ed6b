package io.sluice.spill.format;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Sums a run up while it is written, whatever the pieces in which its bytes come.
 *
 * <p>Thread contract: one thread. After {@link #finish} it begins the next run.
 */
public final class BlockChecksummer {
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

  /** A full block ends only when more bytes come: it may be the last, which the end ends. */
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
