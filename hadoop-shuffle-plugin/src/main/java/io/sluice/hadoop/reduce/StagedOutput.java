package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.reduce.MergeRun;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * An output that was fetched from a stock ShuffleHandler, and lies on this node.
 *
 * @param map the attempt that wrote it
 * @param run all of it
 */
record StagedOutput(TaskAttemptID map, FetchedRun run) implements FetchedOutput {
  @Override
  public List<MergeRun> runs() {
    return List.of(run);
  }

  @Override
  public boolean isResident() {
    return true;
  }

  @Override
  public void close() throws IOException {
    run.close();
  }
}
