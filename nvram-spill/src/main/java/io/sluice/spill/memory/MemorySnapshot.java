package io.sluice.spill.memory;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.LedgerStats;
import java.util.List;

/**
 * A node's memory at one moment.
 *
 * @param holdings the memory of each task
 * @param waits of requests that were not answered at once
 * @param movedBytes of outputs that were moved out of memory so far
 * @param movedOutputs their number; each part of a large output counts
 * @param moveFailures outputs that could not be moved
 */
public record MemorySnapshot(
    LedgerStats ledger,
    List<Holding> holdings,
    WaitCounts waits,
    long movedBytes,
    long movedOutputs,
    long moveFailures) {}
