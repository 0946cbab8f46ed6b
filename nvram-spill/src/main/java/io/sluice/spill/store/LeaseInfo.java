package io.sluice.spill.store;

import java.util.UUID;

/**
 * What a writer has to know about its lease to write outputs that are valid.
 *
 * @param poolId the pool
 * @param blockBytes extents are multiples of this
 * @param generation of this lease, unique and rising in the pool
 */
public record LeaseInfo(UUID poolId, int blockBytes, long generation) {}
