package io.sluice.mapreduce.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import java.util.List;

/** Windows that are never shared out among more runs than there are; every merge has two. */
public record FewWindows(int count) implements MergeWindows {
  @Override
  public void prepare(List<? extends MergeRun> runs) {
    assertTrue(runs.size() <= Math.max(2, count), runs.size() + " runs share " + count);
  }
}
