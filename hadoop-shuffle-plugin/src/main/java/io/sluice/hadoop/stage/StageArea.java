package io.sluice.hadoop.stage;

import java.io.IOException;

/** Where a reducer stages runs: the pool of its node, or a local disk where there is none. */
public interface StageArea {
  /** Begins a run; safe from any thread. */
  StagedRun create(String name) throws IOException;

  /** Bytes staged in memory so far. */
  long memoryBytes();

  /** Bytes staged on disk so far. */
  long diskBytes();
}
