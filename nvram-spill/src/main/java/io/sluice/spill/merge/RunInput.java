package io.sluice.spill.merge;

import io.sluice.spill.format.BlockChecksums;
import java.io.Closeable;
import java.io.IOException;

/**
 * The bytes of one run, read once from beginning to end: a mapped segment, a window over RDMA or
 * TCP, or a decompressor over either.
 *
 * <ul>
 *   <li>{@link #read} delivers at least one byte, or -1 at the end and ever after, or throws; it
 *       may block, within a deadline of its own. Asked for 0 bytes it may answer 0.
 *   <li>An input that can tell damaged bytes from good ones delivers no damaged one: what it has
 *       delivered was checked before.
 *   <li>{@link #close} gives back memory and connections at once, even before the end; closing
 *       twice is allowed.
 * </ul>
 *
 * <p>Thread contract: single thread. Ownership: whoever wraps it ({@link RunCursor}) closes it.
 */
public interface RunInput extends Closeable {
  /** Reads up to {@code lengthBytes} into {@code dst}; -1 at the end. */
  int read(byte[] dst, int offset, int lengthBytes) throws IOException;

  /**
   * Goes back, because the bytes from there on are not those that were written. Only an input whose
   * bytes may have come from where they no longer lay can bring others; the rest would bring the
   * same again.
   *
   * @param offsetBytes the beginning of the block that is wrong; all before it was verified, and
   *     nothing behind it handed on
   * @param cause how that was found
   * @return whether the next read delivers the bytes from there on once more; if not, the input is
   *     good for nothing but {@link #close}
   */
  default boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
    return false;
  }

  /** Room that a read wants, because what it has no room for is copied once more. */
  default int wantedBytes() {
    return BlockChecksums.BLOCK_BYTES;
  }

  /** Bytes still to come, an estimate for progress in whatever unit the input counts. */
  long remainingBytes();
}
