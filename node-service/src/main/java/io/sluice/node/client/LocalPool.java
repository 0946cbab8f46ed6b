package io.sluice.node.client;

import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import java.util.UUID;

/**
 * The pool of the reader's own node, whose segments it reads itself.
 *
 * @param poolId as its service has said over the node's socket
 * @param places as it has announced there
 * @param opener opens its segments
 */
public record LocalPool(UUID poolId, PoolPaths places, SegmentOpener opener) {}
