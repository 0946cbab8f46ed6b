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
 *   <li>An input that can detect damaged bytes checks all bytes before it delivers them.
 *   <li>{@link #close} gives back memory and connections at once, even before the end; closing
 *       twice is allowed.
 * </ul>
 *
 * <p>Thread contract: single thread. Ownership: its wrapper, at last the {@link RunCursor}, closes
 * it.
 */
public interface RunInput extends Closeable {
  /** Reads up to {@code lengthBytes} into {@code dst}; -1 at the end. */
  int read(byte[] dst, int offset, int lengthBytes) throws IOException;

  /**
   * Goes back to an offset, because the bytes from there on are damaged. Only an input whose bytes
   * may have come from a stale location can bring others; the rest would bring the same again.
   *
   * @param offsetBytes the beginning of the block that is wrong; all before it was verified, and
   *     nothing behind it handed on
   * @param cause the mismatch
   * @return whether the next read delivers the bytes from there on once more; if not, the input is
   *     good for nothing but {@link #close}
   */
  default boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
    return false;
  }

  /** Room that a read wants: bytes without room are copied once more. */
  default int wantedBytes() {
    return BlockChecksums.BLOCK_BYTES;
  }

  /** Bytes still to come, an estimate for progress in whatever unit the input counts. */
  long remainingBytes();

  /** The bytes of a run are not those that were written: the CRC32C of a block differs. */
  final class ChecksumException extends IOException {
    private static final long serialVersionUID = 1L;

    ChecksumException(
        String run, long offsetBytes, int blockBytes, long lengthBytes, int expected, int actual) {
      super(
          String.format(
              "run %s: CRC32C of the %s bytes from %s on, of %s, is %08x, expected %08x: the bytes"
                  + " were damaged or overwritten after they were written; fetch the run again or"
                  + " re-run its map",
              run, blockBytes, offsetBytes, lengthBytes, actual, expected));
    }
  }

  /** A run was read during or after the close of its input; that says nothing about the run. */
  final class ClosedRunException extends IOException {
    private static final long serialVersionUID = 1L;

    /** {@code name} is the run's, for the message. */
    public ClosedRunException(String name) {
      super("run " + name + " is read after it was closed");
    }
  }
}
