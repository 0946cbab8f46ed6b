package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;

/**
 * A sorted run that a {@link ReduceMerge} takes in.
 *
 * <p>Thread contract: one thread at a time. Ownership: the merge that it is given to closes it.
 */
public interface MergeRun extends Closeable {
  /** How messages call it. */
  String name();

  /** Bytes as they are stored. */
  long lengthBytes();

  /** Bytes that are read of it, decompressed; {@code Long.MAX_VALUE} if that is not known. */
  default long rawLengthBytes() {
    return form() == RunForm.PLAIN ? lengthBytes() : Long.MAX_VALUE;
  }

  /** Mean length of its records in bytes as far as it is known, else 0. */
  long meanRecordBytes();

  /** What must be put before {@link #input}. */
  RunForm form();

  /** Whether it is one stream of a codec, for which buffers of that are held while it is read. */
  default boolean isStream() {
    return form() == RunForm.STREAM;
  }

  /** Raw bytes of its chunks, as its writer has told; 0 if it is not in chunks. */
  int chunkBytes();

  /** The least block to parse it in. */
  default long leastBlockBytes() {
    return MergeMemory.leastBlockBytes(rawLengthBytes(), chunkBytes());
  }

  /** Its bytes. */
  RunInput input();

  /** Gives back what it holds for being read soon; it goes on where it was when it is read. */
  void suspend();

  @Override
  void close() throws IOException;
}
