package io.sluice.mapreduce.stage;

import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;

/**
 * The storage in which a reducer stages runs: the pool of its node, or a local disk if there is no
 * pool.
 *
 * <p>Thread contract: safe from any thread. Ownership: the shuffle closes it, which frees the room
 * of all runs. A run that is being written then refuses further bytes, and its writer's close frees
 * it. Failure: {@link IOException} if room cannot be freed.
 */
public interface StageArea extends Closeable {
  /** Begins a run. */
  StagedRun create(String name) throws IOException;

  /** Frees the memory that is kept for further runs. Runs may still follow. */
  void trim() throws IOException;

  /** Bytes staged in memory so far. */
  long memoryBytes();

  /** Bytes staged on disk so far. */
  long diskBytes();

  /**
   * A run that a reducer keeps until its merge: the result of a merge round, or a map output of a
   * stock node.
   *
   * <p>Calls come in this order: {@link #expect} if the length is known, {@link #write}, {@link
   * #finish}, {@link #open}. Thread contract: one thread at a time. Ownership: the creator closes
   * it, or after {@link #open} the input does. Failure: {@link IOException} when there is no room
   * for it.
   */
  public interface StagedRun extends Closeable {
    /** The name for messages. */
    String name();

    /** Reserves room for so many bytes. */
    void expect(long lengthBytes) throws IOException;

    /** Appends bytes. */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** Ends writing. */
    void finish() throws IOException;

    /** Stored bytes. */
    long lengthBytes();

    /** Opens it, once; closing the input frees the run. */
    RunInput open() throws IOException;

    /** Frees the run. */
    @Override
    void close() throws IOException;
  }
}
