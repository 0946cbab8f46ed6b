package io.sluice.node.remote;

import io.sluice.spill.format.LocatedRun;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where some partitions of some outputs lie on a node.
 *
 * @param segments by id, every segment that the runs below touch
 * @param runs by output id, the runs of those partitions in the order of partitions and ordinals;
 *     an output that this node does not hold, or not all of them, is absent
 * @param inlined bytes of short runs that came with the answer, as they are stored and not yet
 *     verified, by the very objects among {@code runs}; what is absent has to be read
 * @param unreadable outputs that may be there, but cannot be read now, and why; a service refuses
 *     to describe these, so that they are never in an answer
 */
public record Description(
    Map<Integer, SegmentLocation> segments,
    Map<String, List<LocatedRun>> runs,
    IdentityHashMap<LocatedRun, byte[]> inlined,
    Map<String, String> unreadable) {
  /** What a service gathers for one answer, unless it is about one partition of one output. */
  public static final long MAX_ANSWER_BYTES = 1 << 20;

  /** Longer runs are always read. */
  public static final int MAX_INLINED_RUN_BYTES = 2 << 10;

  /** What a service inlines in one answer, beside what it gathers. */
  public static final long MAX_INLINED_BYTES = 512 << 10;

  private static final int RUN_BYTES = 4 * Integer.BYTES + 3 * Long.BYTES;
  private static final int RANGE_BYTES = Integer.BYTES + 2 * Long.BYTES;

  /** Of which every run has to be read. */
  public Description(Map<Integer, SegmentLocation> segments, Map<String, List<LocatedRun>> runs) {
    this(segments, runs, new IdentityHashMap<>(), new HashMap<>());
  }

  /** How long a run is in an answer. */
  public static long lengthBytes(LocatedRun located) {
    long checksums = located.run().checksums().furtherCount() + 1L;
    return RUN_BYTES
        + checksums * Integer.BYTES
        + (long) located.place().ranges().size() * RANGE_BYTES;
  }
}
