package io.sluice.spill.ledger;

import java.util.Map;

/**
 * A moment of a ledger.
 *
 * @param capacityBytes all of it: what is free and what is held
 * @param heldBytes by kind, each of them
 * @param grantedBytes so far, by the kind that was asked for; the room for runs as it is written
 * @param refusals so far, by the kind that was asked for
 * @param revokedBytes what notices have asked back so far, by kind
 * @param lates how many times so far a holder has not obeyed in time
 * @param queued asks that wait now
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
