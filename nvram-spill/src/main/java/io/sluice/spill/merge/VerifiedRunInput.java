package io.sluice.spill.merge;

import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * Checks the length and the CRC32C of a run while it is read, before its last bytes are handed on.
 *
 * <p>Thread contract: one thread. Ownership: owns and closes the input it wraps. Failure: {@link
 * ChecksumException}, or {@link IOException} if the run ends early.
 */
public final class VerifiedRunInput implements RunInput {
  private final String name;
  private final RunInput input;
  private final long lengthBytes;
  private final int expectedCrc32c;
  private final CRC32C crc32c = new CRC32C();
  private long readBytes;

  /** Expects so many bytes with this CRC32C from {@code input}. */
  public VerifiedRunInput(String name, RunInput input, long lengthBytes, int expectedCrc32c) {
    this.name = name;
    this.input = input;
    this.lengthBytes = lengthBytes;
    this.expectedCrc32c = expectedCrc32c;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    int n = input.read(dst, offset, length);
    if (n < 0) {
      if (readBytes != lengthBytes) {
        throw new IOException(
            "run " + name + " ends after " + readBytes + " of " + lengthBytes + " bytes");
      }
      return n;
    }
    crc32c.update(dst, offset, n);
    readBytes += n;
    if (readBytes == lengthBytes && (int) crc32c.getValue() != expectedCrc32c) {
      throw new ChecksumException(name, lengthBytes, expectedCrc32c, (int) crc32c.getValue());
    }
    return n;
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
