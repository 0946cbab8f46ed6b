package io.sluice.node.remote;

import io.sluice.spill.format.Run;
import java.util.List;
import java.util.Map;

/**
 * Where some partitions of some outputs lie on a node.
 *
 * @param segments by id, every segment that the runs below touch
 * @param runs by output id, the runs of those partitions in their order; an output that this node
 *     does not hold, or not all of them, is absent
 */
public record Description(Map<Integer, SegmentLocation> segments, Map<String, List<Run>> runs) {
  /** What a service gathers for one answer, unless it is about one partition of one output. */
  public static final long MAX_ANSWER_BYTES = 1 << 20;

  private static final int RUN_BYTES = 2 * Integer.BYTES + 4 * Long.BYTES;
  private static final int RANGE_BYTES = Integer.BYTES + 2 * Long.BYTES;

  /** How long a run is in an answer. */
  public static long lengthBytes(Run run) {
    long checksums = run.checksums().furtherCount() + 1L;
    return RUN_BYTES + checksums * Integer.BYTES + (long) run.ranges().size() * RANGE_BYTES;
  }
}
