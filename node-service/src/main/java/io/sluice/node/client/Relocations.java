package io.sluice.node.client;

import io.sluice.spill.format.BlockChecksums;

/**
 * How often a run was found elsewhere before the next block of it could be read, or only then where
 * it lies. A service moves an output once in a long while, so that more than a few places in a row
 * are no way to get at it.
 *
 * <p>Thread contract: one thread at a time, that of the reader.
 */
final class Relocations {
  /** A reader follows a run to so many places for one block. */
  static final int MOST = 3;

  private long block = -1;
  private int places;

  /**
   * The run was found, where it was not known to lie.
   *
   * @param offsetBytes what was to be read; all before its block was read and verified
   * @return whether that is too often
   */
  boolean isTooMany(long offsetBytes) {
    long now = offsetBytes / BlockChecksums.BLOCK_BYTES;
    if (now > block) {
      block = now;
      places = 0;
    }
    return ++places > MOST;
  }
}
