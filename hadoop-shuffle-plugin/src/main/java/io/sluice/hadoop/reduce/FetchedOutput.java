package io.sluice.hadoop.reduce;

import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * One map attempt's output of this reducer's partition, located in a pool or staged.
 *
 * <p>Ownership: who holds it closes its runs, or hands them on. Failure: none of its own; a run
 * that cannot be closed leaves no other one open.
 *
 * @param map the attempt that wrote it
 * @param runs its runs; none if the map had no record for this partition
 * @param resident whether every byte of it is on this node, whatever happens to its map's node
 */
record FetchedOutput(TaskAttemptID map, List<FetchedRun> runs, boolean resident)
    implements Closeable {

  FetchedOutput {
    runs = List.copyOf(runs);
  }

  static FetchedOutput of(TaskAttemptID map, List<FetchedRun> runs) {
    return new FetchedOutput(map, runs, runs.stream().allMatch(FetchedRun::isResident));
  }

  @Override
  public void close() throws IOException {
    Closing.all(runs);
  }
}
