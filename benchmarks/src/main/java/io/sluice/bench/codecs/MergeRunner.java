package io.sluice.bench.codecs;

import java.util.Map;

/** Does the merges that are measured. One thread. */
interface MergeRunner {
  /** Codecs that lack their library here, each with the reason. */
  Map<BenchCodec, String> missing();

  /** Makes the runs, merges them, and leaves nothing behind. */
  MergeCost run(MergeTask task);
}
