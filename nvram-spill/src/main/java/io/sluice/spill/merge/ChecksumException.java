package io.sluice.spill.merge;

import java.io.IOException;

/** The bytes of a run are not those that were written: its CRC32C differs. */
public final class ChecksumException extends IOException {
  private static final long serialVersionUID = 1L;

  public ChecksumException(String run, long lengthBytes, int expected, int actual) {
    super(
        String.format(
            "run %s: CRC32C of its %d bytes is %08x, expected %08x: the bytes were damaged or"
                + " overwritten after they were written; fetch the run again or re-run its map",
            run, lengthBytes, actual, expected));
  }
}
