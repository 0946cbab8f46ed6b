package io.sluice.memory.fs.space;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes that lie together, of one tier of the store.
 *
 * <p>Thread contract: any number of threads read, while one writes what none of them looks at yet.
 * Ownership: whoever leased it gives it back; what is read of it after that is somebody else's.
 */
interface FileExtent {
  /** How many bytes it has room for. */
  int lengthBytes();

  /** All of it, to be read and written in place; null if it has to be copied. */
  ByteBuffer memory();

  /** Fills what remains in {@code destination}. */
  void read(int offsetBytes, ByteBuffer destination) throws IOException;

  /** Takes all that remains in {@code source}. */
  void write(int offsetBytes, ByteBuffer source) throws IOException;

  /** The blocks of the store that have the first bytes, perhaps all of them. */
  FileExtent first(int keptBytes);

  /** Gives back what is behind those. */
  void releaseBehind(FileExtent first) throws IOException;

  /** Gives back all of it. */
  void release() throws IOException;
}
