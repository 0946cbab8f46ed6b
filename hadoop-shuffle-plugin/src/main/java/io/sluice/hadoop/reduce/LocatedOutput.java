package io.sluice.hadoop.reduce;

import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * An output that a node's pool holds. A reducer keeps one of these for each map while it gathers,
 * so this is small: it knows where the output is packed, and makes its runs when asked for them. It
 * keeps runs only while some of their bytes are here or on their way.
 *
 * <p>Thread contract: one thread at a time.
 */
final class LocatedOutput implements FetchedOutput {
  private final PoolRuns all;
  private final int offset; // of the output among them
  private List<PoolRun> touched; // null while nothing of them is read or on its way

  LocatedOutput(PoolRuns all, int offset) {
    this.all = all;
    this.offset = offset;
  }

  /**
   * Starts to fetch the beginning of its runs: at least a window of each run, and {@code windows}
   * in all.
   *
   * @return false if that failed; reading the runs will fail, too
   */
  boolean prefetch(int windows) {
    List<PoolRun> runs = runs();
    boolean ok = true;
    for (PoolRun run : runs) {
      ok = ok && run.prefetch(Math.max(1, windows / runs.size()));
    }
    touched = runs.stream().allMatch(PoolRun::isUntouched) ? null : runs;
    return ok;
  }

  @Override
  public TaskAttemptID map() {
    return TaskAttemptID.forName(all.located().outputId(offset));
  }

  @Override
  public List<PoolRun> runs() {
    if (touched != null) {
      return touched;
    }
    int[] offsets = all.located().runsOf(offset);
    List<PoolRun> runs = new ArrayList<>(offsets.length);
    for (int run : offsets) {
      runs.add(new PoolRun(all, run));
    }
    return List.copyOf(runs);
  }

  @Override
  public boolean isResident() {
    return all.located().isLocalOutput(offset);
  }

  @Override
  public void close() throws IOException {
    if (touched != null) {
      Closer.all(touched);
    }
  }
}
