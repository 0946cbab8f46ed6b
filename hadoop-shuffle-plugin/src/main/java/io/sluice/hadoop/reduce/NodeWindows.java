package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import java.util.ArrayList;
import java.util.List;

/**
 * The windows of the reader that fetches from nodes' pools; what was staged needs none of them.
 *
 * <p>Thread contract: the merging thread.
 */
record NodeWindows(NodeReader reader) implements MergeWindows {
  @Override
  public int count() {
    return reader.windowCount();
  }

  @Override
  public void prepare(List<? extends MergeRun> runs) {
    List<NodeRun> nodeRuns = new ArrayList<>();
    for (MergeRun run : runs) {
      if (run instanceof PoolRun pool) {
        nodeRuns.add(pool.opened());
      }
    }
    reader.prepareMerge(nodeRuns);
  }
}
