package io.sluice.spark.read;

import io.sluice.node.client.NodeRun;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * The runs of a fetch in the order in which they are read, and how far they are on their way: while
 * one is read, those behind it are too, because most blocks of a large shuffle are so small that
 * the way there and back takes longer than their bytes. One is begun only when all of those before
 * it are on their way, so that no run that is read ever waits for a window which a later one holds.
 *
 * <p>Thread contract: one thread. Ownership: closes all runs, read or not: they hold windows.
 * Failure: a read that fails is found when its run is read.
 */
final class RunPrefetch implements Closeable {
  /** Enough to hide the way of small ones. */
  private static final int RUNS = 32;

  /** Of one run, which share the reader's windows with all others. */
  private static final int WINDOWS = 8;

  private final List<NodeRun> runs;
  private int current;
  private int begun;

  /** Begins nothing yet. */
  RunPrefetch(List<NodeRun> runs) {
    this.runs = runs;
  }

  /** Starts what may be on its way now. */
  void start() {
    while (begun < runs.size() && begun - current < RUNS && runs.get(begun).fetchAhead(WINDOWS)) {
      begun++;
    }
  }

  /** The current one has been read; its windows are others' from now on. */
  void done(NodeRun run) throws IOException {
    run.close();
    current++;
    begun = Math.max(begun, current);
  }

  @Override
  public void close() throws IOException {
    Closer.all(runs);
  }
}
