package io.sluice.mapreduce.stage;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;

/**
 * A piece of a {@link PackedStage} in which runs lie one behind the other: a file, or extents of
 * the pool. All of it is given back at once.
 *
 * <pre>
 *   | run | run | cut short | run ........ | room for more |
 * </pre>
 *
 * <p>Thread contract: one thread at a time writes; runs that have ended are read meanwhile, each by
 * one thread. Ownership: the stage closes it. Failure: {@link IOException} of the medium; after one
 * in writing nothing more is written to it.
 */
interface StageVolume extends Closeable {
  /** Makes room for so many bytes at once. */
  void expect(long lengthBytes) throws IOException;

  /** Appends bytes to the run at the end. */
  void write(byte[] bytes, int offset, int length) throws IOException;

  /** Ends this run, which can be read from now on; the next byte begins another. */
  Piece endRun() throws IOException;

  /** All bytes written so far. */
  long lengthBytes();

  /** No more runs: gives back what only writing needs. Called once. */
  void endWriting() throws IOException;

  /** A run that has ended; it holds neither a file nor a buffer while it is not read. */
  interface Piece {
    /** Its bytes. */
    long lengthBytes();

    /** Those of them that are in memory. */
    long memoryBytes();

    /** Their checksums. */
    BlockChecksums checksums();

    /** Reads it; nothing is opened before the first byte is asked for. */
    RunInput open();
  }
}
