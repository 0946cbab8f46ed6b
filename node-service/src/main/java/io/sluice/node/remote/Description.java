package io.sluice.node.remote;

import io.sluice.spill.format.Run;
import java.util.List;
import java.util.Map;

/**
 * Where some partitions of some outputs lie on a node.
 *
 * @param segments by id, every segment that the runs below touch
 * @param runs by output id, the runs of those partitions in their order; an output that this node
 *     does not hold is absent
 */
public record Description(Map<Integer, SegmentLocation> segments, Map<String, List<Run>> runs) {}
