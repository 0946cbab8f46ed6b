package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.util.List;
import java.util.UUID;

/**
 * A run and its location at the time of the answer.
 *
 * @param run the run
 * @param location where its bytes lay
 */
public record LocatedRun(Run run, RunLocation location) {
  /**
   * The location of the bytes of a {@link Run}. Equal locations are the same one, also over time:
   * no two locations of an output have the same generation.
   *
   * @param poolId the pool
   * @param generation of the output's location; it rises with each move
   * @param ranges the bytes, in order; empty if the run has none
   */
  public record RunLocation(UUID poolId, long generation, List<Range> ranges) {}
}
