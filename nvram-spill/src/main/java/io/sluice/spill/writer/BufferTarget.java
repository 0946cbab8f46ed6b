package io.sluice.spill.writer;

import io.sluice.spill.store.ExtentSource.PendingWrite;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where a {@link BufferedExtent} copies its bytes to.
 *
 * <p>Thread contract: one thread. Ownership: closed by its {@link BufferedExtent}.
 */
interface BufferTarget extends Closeable {
  /** Writes all of {@code source} at an offset of the extent. */
  void write(int offsetBytes, ByteBuffer source) throws IOException;

  /** Begins the same of a staging buffer, which stays as it is until that is awaited. */
  PendingWrite beginWrite(int offsetBytes, ByteBuffer source) throws IOException;

  /** Makes everything written as safe as the tier can. */
  void persist() throws IOException;
}
