package io.sluice.node.client;

import io.sluice.node.remote.SegmentLocation;
import io.sluice.spill.segment.PoolPaths;
import java.util.ArrayList;
import java.util.List;

/**
 * What most segments of a pool have in common.
 *
 * @param place its number
 * @param lengthBytes of the segment
 * @param mapUnitBytes as {@code SegmentInfo} has it
 * @param transports for which it has regions
 * @param regionsBytes how long these are
 */
record SegmentShape(
    int place,
    long lengthBytes,
    int mapUnitBytes,
    List<String> transports,
    List<Long> regionsBytes) {

  static SegmentShape of(SegmentLocation location, PoolPaths places) {
    List<String> transports = new ArrayList<>(location.regions().keySet());
    return new SegmentShape(
        places.numberOf(location.segment()),
        location.segment().lengthBytes(),
        location.segment().mapUnitBytes(),
        transports,
        transports.stream().map(each -> location.regions().get(each).lengthBytes()).toList());
  }
}
