package io.sluice.spill.format;

import java.io.IOException;

/**
 * Bytes of one segment, or of all extents of one output, copied out so that nobody can change them
 * between check and use.
 */
public interface ByteSource {
  /** How many there are. */
  long lengthBytes();

  /**
   * Fills {@code destination} from {@code offsetBytes} on.
   *
   * @throws IOException if the file is shorter than that or cannot be read
   */
  void read(long offsetBytes, byte[] destination) throws IOException;
}
