package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;

/**
 * A few bytes that a pool keeps about itself, in a file or in mapped memory. New ones are zero.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link IOException} of the file.
 */
interface MetaArea extends Closeable {
  /** Reads; what lies behind the end is zero. */
  void read(long offsetBytes, byte[] destination) throws IOException;

  /** Sets bytes, which then survive the death of the process. */
  void fill(long offsetBytes, int lengthBytes, byte value) throws IOException;

  /** Sets eight bytes at once, which then survive whatever the medium survives. */
  void writeLong(long offsetBytes, long value) throws IOException;
}
