package io.sluice.mapreduce.stage;

import java.io.Closeable;
import java.io.IOException;

/**
 * Where a reducer stages runs: the pool of its node, or a local disk where there is none.
 *
 * <p>Ownership: the shuffle closes it, which gives back the room of every run, also of those that
 * nobody has closed; a run that is being written at that moment gives its own back when its writer
 * closes it, and takes no more bytes. Failure: {@link IOException} when room cannot be given back.
 */
public interface StageArea extends Closeable {
  /** Begins a run; safe from any thread. */
  StagedRun create(String name) throws IOException;

  /** Gives back the memory that is kept for further runs; they may still come. */
  void trim() throws IOException;

  /** Bytes staged in memory so far. */
  long memoryBytes();

  /** Bytes staged on disk so far. */
  long diskBytes();
}
