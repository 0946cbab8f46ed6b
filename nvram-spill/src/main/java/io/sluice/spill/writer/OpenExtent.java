package io.sluice.spill.writer;

import io.sluice.spill.segment.Extent;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An extent while it is being filled, front to back, through a window of memory.
 *
 * <p>Thread contract: that of its {@link OutputWriter}, which also closes it. Failure: {@link
 * IOException} of the file; the extent is useless afterwards.
 */
interface OpenExtent extends Closeable {
  /** What is being filled. */
  Extent extent();

  /**
   * Memory whose first {@link #windowLimit} bytes go to the extent from {@link #windowStart} on.
   */
  ByteBuffer window();

  /** How many bytes of the window there are. */
  int windowLimit();

  /** Where in the extent the window starts. */
  int windowStart();

  /**
   * The first {@code usedBytes} bytes of the window are on their way to the extent now, and it
   * makes new room, perhaps in other memory.
   */
  void slide(int usedBytes) throws IOException;

  /** Returns when all that was on its way is there. */
  void settle() throws IOException;

  /** Writes all of {@code source} at an offset behind the window's start, outside the window. */
  void writeAt(int offsetBytes, ByteBuffer source) throws IOException;

  /** Makes everything before {@code endBytes} as safe as the tier can. */
  void persist(int endBytes) throws IOException;
}
