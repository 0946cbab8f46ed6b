package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.util.List;
import java.util.UUID;

/**
 * Where the bytes of a {@link Run} lie. Places that are equal are one and the same, also over time:
 * no two places of an output have the same generation.
 *
 * @param poolId the pool
 * @param generation that of the place of the output, which rises with each
 * @param ranges the bytes, in order; empty if the run has none
 */
public record RunLocation(UUID poolId, long generation, List<Range> ranges) {}
