package io.sluice.node.remote;

import io.sluice.spill.format.LocatedRun;
import java.util.List;
import java.util.Map;

/**
 * Where some partitions of some outputs lie on a node.
 *
 * @param segments by id, every segment that the runs below touch
 * @param runs by output id, the runs of those partitions in the order of partitions and ordinals;
 *     an output that this node does not hold, or not all of them, is absent
 */
public record Description(
    Map<Integer, SegmentLocation> segments, Map<String, List<LocatedRun>> runs) {
  /** What a service gathers for one answer, unless it is about one partition of one output. */
  public static final long MAX_ANSWER_BYTES = 1 << 20;

  private static final int RUN_BYTES = 3 * Integer.BYTES + 3 * Long.BYTES;
  private static final int RANGE_BYTES = Integer.BYTES + 2 * Long.BYTES;

  /** How long a run is in an answer. */
  public static long lengthBytes(LocatedRun located) {
    long checksums = located.run().checksums().furtherCount() + 1L;
    return RUN_BYTES
        + checksums * Integer.BYTES
        + (long) located.place().ranges().size() * RANGE_BYTES;
  }
}
