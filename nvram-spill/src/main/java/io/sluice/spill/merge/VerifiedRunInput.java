package io.sluice.spill.merge;

import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * Checks the length and the CRC32C of a run while it is read, before its last bytes are handed on.
 *
 * <p>Thread contract: one thread. Ownership: owns and closes the input it wraps. Failure: {@link
 * ChecksumException}, or {@link IOException} if the run ends early or goes on.
 */
public final class VerifiedRunInput implements RunInput {
  private final String name;
  private final RunInput input;
  private final long lengthBytes;
  private final int expectedCrc32c;
  private final CRC32C crc32c = new CRC32C();
  private long readBytes;
  private boolean verified;

  /** Expects so many bytes with this CRC32C from {@code input}. */
  public VerifiedRunInput(String name, RunInput input, long lengthBytes, int expectedCrc32c) {
    this.name = name;
    this.input = input;
    this.lengthBytes = lengthBytes;
    this.expectedCrc32c = expectedCrc32c;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    int count = input.read(dst, offset, length);
    if (count > 0) {
      crc32c.update(dst, offset, count);
      readBytes += count;
    }
    if (readBytes > lengthBytes || count < 0 && readBytes < lengthBytes) {
      throw new IOException(
          "run "
              + name
              + (count < 0 ? " ends after " : " goes on behind ")
              + Math.min(readBytes, lengthBytes)
              + " bytes, expected its end after "
              + lengthBytes
              + "; fetch the run again or re-run its map");
    }
    if (readBytes == lengthBytes && !verified) {
      verify();
    }
    return count;
  }

  private void verify() throws ChecksumException {
    int actual = (int) crc32c.getValue();
    if (actual != expectedCrc32c) {
      throw new ChecksumException(name, lengthBytes, expectedCrc32c, actual);
    }
    verified = true;
  }

  @Override
  public long remainingBytes() {
    return input.remainingBytes();
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
