package io.sluice.memory.fs.space;

import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a piece asks of the lease that it is part of. */
interface ExtentLease {
  /** Unit of what can be given back. */
  int blockBytes();

  /** Writes all that remains to an extent of the disk tier. */
  void write(Extent extent, long offsetBytes, ByteBuffer source) throws IOException;

  /** Gives back whole blocks. */
  void release(Extent extent) throws IOException;
}
