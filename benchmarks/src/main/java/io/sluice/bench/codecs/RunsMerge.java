package io.sluice.bench.codecs;

import java.io.IOException;

/** Runs that are kept as a variant reads them, and its merge of them. One thread. */
interface RunsMerge extends SortedRuns.Sink {
  /** Of the runs before they are compressed. */
  long rawBytes();

  /** Of the runs as they are read. */
  long storedBytes();

  /** Raw bytes of the runs' chunks; 0 if they have none. */
  int chunkBytes();

  /** Merges all of them, and leaves them for the next time. */
  Outcome merge() throws IOException;

  /**
   * Of a merge.
   *
   * @param output what came out
   * @param rewrittenRecords that were written by merges before the last one
   */
  record Outcome(RecordsDigest.Sum output, long rewrittenRecords) {}
}
