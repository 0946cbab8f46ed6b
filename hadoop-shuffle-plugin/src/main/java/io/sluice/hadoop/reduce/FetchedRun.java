package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;

/**
 * A sorted run that this reducer has fetched and staged itself. Differs from a {@link PoolRun} in
 * that all of its bytes are on this node.
 *
 * @param name how messages call it
 * @param lengthBytes bytes as they are stored
 * @param form how it is stored
 * @param input its bytes
 */
record FetchedRun(String name, long lengthBytes, RunForm form, RunInput input) implements MergeRun {
  @Override
  public int chunkBytes() {
    return 0;
  }

  @Override
  public long meanRecordBytes() {
    return 0;
  }

  @Override
  public void suspend() {}

  @Override
  public void close() throws IOException {
    input.close();
  }
}
