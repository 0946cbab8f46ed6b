package io.sluice.spill.merge;

import java.io.IOException;

/** The bytes of a run are not those that were written: the CRC32C of a block differs. */
public final class ChecksumException extends IOException {
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
