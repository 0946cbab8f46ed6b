package io.sluice.spill.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;

/** What can be known of a pool before it is opened. */
public final class ExistingPool {
  private ExistingPool() {}

  /**
   * The length of its segments; empty if no pool of this release lies there in a directory of
   * files. Others are not opened with another length.
   *
   * @throws IOException if the directory cannot be read, or what says so is damaged
   */
  public static OptionalInt segmentBytes(Path directory) throws IOException {
    try {
      return PoolHeader.read(directory).stream().mapToInt(PoolHeader::segmentBytes).findFirst();
    } catch (OtherFormatException e) {
      return OptionalInt.empty(); // the store that opens it empties it
    }
  }
}
