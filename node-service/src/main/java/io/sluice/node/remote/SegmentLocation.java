package io.sluice.node.remote;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.segment.SegmentInfo;
import java.util.Map;

/**
 * A segment as a remote reader sees it.
 *
 * @param segment its file, which readers of the same node map
 * @param regions by transport name, what authorises reads of it; a segment that could not be
 *     registered with a transport is absent there
 */
public record SegmentLocation(SegmentInfo segment, Map<String, RegionDescriptor> regions) {}
