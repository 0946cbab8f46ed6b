package io.sluice.spill.ledger;

import java.util.Map;

/**
 * Counts of a ledger at one moment.
 *
 * @param capacityBytes all memory, free and held
 * @param heldBytes by kind, each of them
 * @param grantedBytes so far, by the requested kind; room for runs counts when it is written
 * @param refusals so far, by the requested kind
 * @param revokedBytes so far, by kind
 * @param lates how many times so far a holder has missed the deadline of a notice
 * @param queued requests that wait now
 */
public record LedgerStats(
    long capacityBytes,
    long freeBytes,
    Map<MemoryKind, Long> heldBytes,
    Map<MemoryKind, Long> grantedBytes,
    Map<MemoryKind, Long> refusals,
    Map<MemoryKind, Long> revokedBytes,
    long lates,
    int queued) {}
