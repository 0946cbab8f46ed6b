package io.sluice.mapreduce.stage;

import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;

/**
 * One run that a reducer keeps for itself until its merge: the result of a merge round, or a map
 * output fetched from a stock node.
 *
 * <p>Life: {@link #expect} if the length is known, {@link #write}, {@link #finish}, {@link #open}.
 * Thread contract: one thread at a time. Ownership: who created it closes it unless it was opened;
 * then the input does. Failure: {@link IOException} when there is no room for it.
 */
public interface StagedRun extends Closeable {
  /** How messages call it. */
  String name();

  /** Makes room for so many bytes at once. */
  void expect(long lengthBytes) throws IOException;

  /** Appends bytes. */
  void write(byte[] bytes, int offset, int length) throws IOException;

  /** Ends writing. */
  void finish() throws IOException;

  /** Its bytes as they are stored. */
  long lengthBytes();

  /** Reads it, once, from the beginning; closing the input gives its room back. */
  RunInput open() throws IOException;

  /** Gives its room back. */
  @Override
  void close() throws IOException;
}
