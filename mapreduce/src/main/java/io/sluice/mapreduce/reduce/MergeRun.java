package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;

/**
 * A sorted run for a {@link ReduceMerge}.
 *
 * <p>Thread contract: one thread at a time. Ownership: the merge that gets it closes it.
 */
public interface MergeRun extends Closeable {
  /** The name for messages. */
  String name();

  /** Stored bytes. */
  long lengthBytes();

  /** Bytes after decompression; {@code Long.MAX_VALUE} if not known. */
  default long rawLengthBytes() {
    return form() == RunForm.PLAIN ? lengthBytes() : Long.MAX_VALUE;
  }

  /** Mean length of its records in bytes; 0 if not known. */
  long meanRecordBytes();

  /** The form of the bytes of {@link #input}. */
  RunForm form();

  /** Whether it is one stream of a codec, which needs a decompressor while it is read. */
  default boolean isStream() {
    return form() == RunForm.STREAM;
  }

  /** Raw bytes of its chunks, as recorded by its writer; 0 without chunks. */
  int chunkBytes();

  /** The least block in which it can be parsed. */
  default long leastBlockBytes() {
    return MergeMemory.leastBlockBytes(rawLengthBytes(), chunkBytes());
  }

  /** The stored bytes. */
  RunInput input();

  /**
   * Releases what it holds to be read soon; the next read continues where it was. By default it
   * holds nothing.
   */
  default void suspend() {}

  @Override
  default void close() throws IOException {
    input().close();
  }
}
