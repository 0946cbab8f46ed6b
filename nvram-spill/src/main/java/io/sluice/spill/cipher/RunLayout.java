package io.sluice.spill.cipher;

import io.sluice.spill.format.BlockChecksums;
import java.nio.ByteBuffer;

/**
 * The layout of an encrypted run. A frame is encrypted as one; it ends where a block of {@link
 * BlockChecksums} ends, so that a reader of a block has a whole frame.
 *
 * <pre>
 *  0                    16                   32           36           40
 * +--------------------+--------------------+------------+------------+
 * | marker             | salt of the writer | partition  | ordinal    |   header
 * +--------------------+--------------------+------------+------------+
 * | frame 0            | frame 1            | ...        | last frame |
 * +--------------------+--------------------+------------+------------+
 * 40                 32 Ki                64 Ki
 *
 * frame    0          4                          4 + n         20 + n
 *         +----------+--------------------------+-------------+
 *         | last, n  | ciphertext, n bytes      | GCM tag     |
 *         +----------+--------------------------+-------------+
 *   last  highest bit: the run ends with this frame
 *   n     at most 32,708 in frame 0, 32,748 in others; every frame but the last is full
 *   nonce (12 bytes)  partition(4) | ordinal(4) | frame number(4)
 *   AAD   header(40) | last, n(4)
 * </pre>
 *
 * <p>All numbers are big-endian. The key depends on the job, the output and the writer's salt. So a
 * frame of another job, output, attempt, partition or run, or from elsewhere in the run, fails its
 * tag; a run that was cut or made longer fails as well.
 *
 * <p>Lengths and counts are not secret.
 */
final class RunLayout {
  static final int MARKER_BYTES = 16;
  static final int SALT_BYTES = 16;
  static final int SALT_OFFSET = MARKER_BYTES;
  static final int PARTITION_OFFSET = SALT_OFFSET + SALT_BYTES;
  static final int ORDINAL_OFFSET = PARTITION_OFFSET + Integer.BYTES;
  static final int HEADER_BYTES = ORDINAL_OFFSET + Integer.BYTES;

  static final int FRAME_BYTES = BlockChecksums.BLOCK_BYTES;
  static final int LENGTH_BYTES = Integer.BYTES;
  static final int TAG_BYTES = 16;
  static final int FRAME_OVERHEAD_BYTES = LENGTH_BYTES + TAG_BYTES;
  static final int LAST = 1 << 31;

  static final int NONCE_BYTES = 3 * Integer.BYTES;
  static final int AAD_BYTES = HEADER_BYTES + LENGTH_BYTES;

  /** Plaintext of a full frame that is not the first. */
  static final int FULL_BYTES = FRAME_BYTES - FRAME_OVERHEAD_BYTES;

  /** Plaintext of a full first frame. */
  static final int FULL_FIRST_BYTES = FULL_BYTES - HEADER_BYTES;

  /** Length of an empty run. */
  static final int MIN_RUN_BYTES = HEADER_BYTES + FRAME_OVERHEAD_BYTES;

  private RunLayout() {}

  /** Plaintext of a full frame. */
  static int fullBytes(int frame) {
    return frame == 0 ? FULL_FIRST_BYTES : FULL_BYTES;
  }

  /** Where a frame begins in its block. */
  static int frameOffset(int frame) {
    return frame == 0 ? HEADER_BYTES : 0;
  }

  /** Length of a run after encryption. */
  static long storedBytes(long plainBytes) {
    long furtherBytes = Math.max(0, plainBytes - FULL_FIRST_BYTES);
    long furtherFrames = (furtherBytes + FULL_BYTES - 1) / FULL_BYTES;
    return HEADER_BYTES + plainBytes + (1 + furtherFrames) * FRAME_OVERHEAD_BYTES;
  }

  /** Length of an encrypted run before encryption; 0 if no run is encrypted to so few bytes. */
  static long plainBytes(long storedBytes) {
    long frames = (storedBytes + FRAME_BYTES - 1) / FRAME_BYTES;
    return Math.max(0, storedBytes - HEADER_BYTES - frames * FRAME_OVERHEAD_BYTES);
  }

  /** The nonce of a frame. */
  static byte[] nonce(int partition, int ordinal, int frame) {
    return ByteBuffer.allocate(NONCE_BYTES).putInt(partition).putInt(ordinal).putInt(frame).array();
  }
}
