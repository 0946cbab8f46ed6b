package io.sluice.node.remote;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.segment.SegmentInfo;
import java.util.ArrayList;
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
public record OutputLocations(
    Map<Integer, SegmentLocation> segments,
    Map<String, List<LocatedRun>> runs,
    IdentityHashMap<LocatedRun, byte[]> inlined,
    Map<String, String> unreadable) {
  /**
   * Most that a service gathers for one answer; each reader costs some times that of heap. It is
   * room for some runs of each output that a reader asks for at once, and for a segment of each.
   * One partition of one output may need more, which is a {@link LongRunLocations}.
   */
  public static final long MAX_ANSWER_BYTES = 256 << 10;

  /** Longer runs are always read. */
  public static final int MAX_INLINED_RUN_BYTES = 2 << 10;

  /** Most bytes that a service inlines in one answer, beside the locations. */
  public static final long MAX_INLINED_BYTES = 512 << 10;

  private static final int RUN_BYTES = 4 * Integer.BYTES + 3 * Long.BYTES;
  private static final int RANGE_BYTES = Integer.BYTES + 2 * Long.BYTES;
  private static final int OUTPUT_BYTES = 2 * Integer.BYTES + Long.BYTES;
  private static final int SEGMENT_BYTES = 5 * Integer.BYTES + 1 + 2 * Long.BYTES;

  /** With no bytes inlined: every run has to be read. */
  public OutputLocations(
      Map<Integer, SegmentLocation> segments, Map<String, List<LocatedRun>> runs) {
    this(segments, runs, new IdentityHashMap<>(), new HashMap<>());
  }

  /** Takes in what another one says, of other outputs or of more partitions. */
  public void add(OutputLocations other) {
    segments.putAll(other.segments);
    other.runs.forEach(
        (id, ofOutput) -> runs.computeIfAbsent(id, x -> new ArrayList<>()).addAll(ofOutput));
    inlined.putAll(other.inlined);
    unreadable.putAll(other.unreadable);
  }

  /** How long runs are in an answer, without bytes that are inlined. */
  public static long runsBytes(List<LocatedRun> runs) {
    long sumBytes = 0;
    for (LocatedRun located : runs) { // no stream: most answers are about many lists of one run
      sumBytes += runBytes(located.run().lengthBytes(), located.location().ranges().size());
    }
    return sumBytes;
  }

  /** How long one of so many bytes in so many ranges is. */
  public static long runBytes(long lengthBytes, int ranges) {
    long checksums = BlockChecksums.furtherBlocks(lengthBytes) + 1;
    return RUN_BYTES + checksums * Integer.BYTES + (long) ranges * RANGE_BYTES;
  }

  /** How long all of it is in an answer, without bytes that are inlined. */
  public long gatheredBytes() {
    long sumBytes = 0;
    for (SegmentLocation location : segments.values()) {
      sumBytes += segmentBytes(location);
    }
    for (Map.Entry<String, List<LocatedRun>> output : runs.entrySet()) {
      sumBytes += OUTPUT_BYTES + output.getKey().length() + runsBytes(output.getValue());
    }
    return sumBytes;
  }

  private static long segmentBytes(SegmentLocation location) {
    long sumBytes = SEGMENT_BYTES;
    for (Map.Entry<String, RegionDescriptor> region : location.regions().entrySet()) {
      sumBytes += 2 * Integer.BYTES + region.getKey().length() + region.getValue().encode().length;
    }
    return sumBytes;
  }

  /**
   * A segment as a remote reader sees it.
   *
   * @param segment its file, which readers of the same node map
   * @param regions by transport name, what authorises reads of it; a segment that could not be
   *     registered with a transport is absent there
   */
  public record SegmentLocation(SegmentInfo segment, Map<String, RegionDescriptor> regions) {}
}
