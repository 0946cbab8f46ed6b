package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;

/** What a round of a {@link ReduceMerge} has staged. */
record MergedRun(
    String name,
    long lengthBytes,
    long rawLengthBytes,
    RunForm form,
    int chunkBytes,
    RunInput input)
    implements MergeRun {
  @Override
  public long meanRecordBytes() {
    return 0; // those of its runs are known
  }

  @Override
  public void suspend() {}

  @Override
  public void close() throws IOException {
    input.close();
  }
}
