package io.sluice.spill.merge;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.RunInput.ChecksumException;
import java.io.IOException;

/**
 * Checks a run block by block. It returns no byte before the CRC32C of the whole block was right,
 * and it returns the very bytes that were checked. So the parser, a codec and the user's code never
 * see damage, and the failure names the run.
 *
 * <p>A block is read straight into the caller's array if there is room for it, else through an
 * array of its own. A damaged block is read again as long as the input says that it may come from
 * elsewhere ({@link RunInput#rereadFrom}).
 *
 * <p>Thread contract: one thread. Ownership: owns and closes the input it wraps. Failure: {@link
 * ChecksumException}, or {@link IOException} if the run ends early or goes on; then only {@link
 * #close} is left.
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

  /** Expects a run of this length with these checksums from {@code input}. */
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

  /** Whether another read of the block may bring other bytes. */
  private boolean mayReread(long startBytes, ChecksumException mismatch) throws IOException {
    try {
      return input.rereadFrom(startBytes, mismatch);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** The mismatch of the block that was read last; null if it is right. */
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
            String.format(
                "run %s %s bytes, expected its end after %s; fetch the run again or re-run"
                    + " its map",
                name, what, lengthBytes));
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
