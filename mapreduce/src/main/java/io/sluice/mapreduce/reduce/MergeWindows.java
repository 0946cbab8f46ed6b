package io.sluice.mapreduce.reduce;

import java.util.List;

/**
 * What the runs of a merge are read through, of which there may be few.
 *
 * <p>Thread contract: the merging thread.
 */
public interface MergeWindows {
  /** As many as any merge wants, with nothing to share out. */
  MergeWindows UNBOUNDED =
      new MergeWindows() {
        @Override
        public int count() {
          return Integer.MAX_VALUE;
        }

        @Override
        public void prepare(List<? extends MergeRun> runs) {}
      };

  /** Most runs that can be read at once. */
  int count();

  /** Shares them out among runs that are about to be merged, {@link #count} of them at most. */
  void prepare(List<? extends MergeRun> runs);
}
