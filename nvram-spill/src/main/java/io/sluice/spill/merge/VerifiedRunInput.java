package io.sluice.spill.merge;

import io.sluice.spill.format.BlockChecksums;
import java.io.IOException;

/**
 * Checks a run block by block: no byte is handed on before the CRC32C of its whole block was right,
 * and what is handed on are the very bytes that were checked. So whoever comes behind, the parser,
 * a codec, the user's code, never sees damage, and the failure names the run.
 *
 * <p>A block is read straight into the caller's array where it has room for it, and through an
 * array of its own where it has not. A block that is wrong is asked for again as often as the input
 * says that it may come from elsewhere ({@link RunInput#rereadFrom}).
 *
 * <p>Thread contract: one thread. Ownership: owns and closes the input it wraps. Failure: {@link
 * ChecksumException}, or {@link IOException} if the run ends early or goes on; it is then good for
 * nothing but {@link #close}.
 */
public final class VerifiedRunInput implements RunInput {
  private static final byte[] NONE = {};

  private final String name;
  private final RunInput input;
  private final long lengthBytes;
  private final BlockChecksums checksums;
  private byte[] block = NONE;
  private int blockPosition;
  private int blockLimit;
  private int nextBlock;
  private long readBytes;
  private IOException failure;

  /** Expects so many bytes with these checksums from {@code input}. */
  public VerifiedRunInput(String name, RunInput input, long lengthBytes, BlockChecksums checksums) {
    if (!checksums.fit(lengthBytes)) {
      throw new IllegalArgumentException(
          "run " + name + " of " + lengthBytes + " bytes has the checksums " + checksums);
    }
    this.name = name;
    this.input = input;
    this.lengthBytes = lengthBytes;
    this.checksums = checksums;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (length == 0) {
      return 0;
    }
    if (blockPosition == blockLimit) {
      if (readBytes == lengthBytes) {
        return end(dst, offset);
      }
      int blockBytes = BlockChecksums.blockBytes(lengthBytes, nextBlock);
      if (length >= blockBytes) {
        readBlock(dst, offset, blockBytes);
        return blockBytes;
      }
      if (block.length < blockBytes) {
        block = new byte[blockBytes];
      }
      readBlock(block, 0, blockBytes);
      blockPosition = 0;
      blockLimit = blockBytes;
    }
    int n = Math.min(length, blockLimit - blockPosition);
    System.arraycopy(block, blockPosition, dst, offset, n);
    blockPosition += n;
    return n;
  }

  private void readBlock(byte[] dst, int offset, int blockBytes) throws IOException {
    long startBytes = readBytes;
    while (true) {
      readBytes = startBytes;
      for (int done = 0; done < blockBytes; ) {
        int n = input.read(dst, offset + done, blockBytes - done);
        if (n < 0) {
          throw notAsLong("ends after " + readBytes);
        }
        done += n;
        readBytes += n;
      }
      ChecksumException mismatch = mismatch(dst, offset, blockBytes);
      if (mismatch == null) {
        nextBlock++;
        return;
      }
      if (!mayReread(startBytes, mismatch)) {
        failure = mismatch;
        throw mismatch;
      }
    }
  }

  /** Whether the block may be another one when it is read again. */
  private boolean mayReread(long startBytes, ChecksumException mismatch) throws IOException {
    try {
      return input.rereadFrom(startBytes, mismatch);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** What is wrong with the block that was read last; null if nothing is. */
  private ChecksumException mismatch(byte[] bytes, int offset, int blockBytes) {
    int actual = BlockChecksums.crc32c(bytes, offset, blockBytes);
    int expected = checksums.crc32c(nextBlock);
    return actual == expected
        ? null
        : new ChecksumException(
            name, readBytes - blockBytes, blockBytes, lengthBytes, expected, actual);
  }

  private int end(byte[] dst, int offset) throws IOException {
    block = NONE;
    if (lengthBytes == 0) {
      failure = mismatch(dst, offset, 0);
      if (failure != null) {
        throw failure;
      }
    }
    if (input.read(dst, offset, 1) >= 0) {
      throw notAsLong("goes on behind " + lengthBytes);
    }
    return -1;
  }

  private IOException notAsLong(String what) {
    failure =
        new IOException(
            "run "
                + name
                + " "
                + what
                + " bytes, expected its end after "
                + lengthBytes
                + "; fetch the run again or re-run its map");
    return failure;
  }

  @Override
  public long remainingBytes() {
    return input.remainingBytes() + blockLimit - blockPosition;
  }

  @Override
  public void close() throws IOException {
    block = NONE;
    blockPosition = 0;
    blockLimit = 0;
    input.close();
  }
}
