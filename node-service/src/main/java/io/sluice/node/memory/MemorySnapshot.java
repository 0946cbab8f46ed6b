package io.sluice.node.memory;

import io.sluice.node.ledger.Holding;
import io.sluice.node.ledger.LedgerStats;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.List;

/**
 * How a node's memory stands.
 *
 * @param holdings what each task holds
 * @param waits of asks that were not answered at once
 * @param movedBytes of outputs that have left memory so far
 * @param movedOutputs how many that were, each part of a large one
 * @param moveFailures times that one could not
 */
public record MemorySnapshot(
    LedgerStats ledger,
    List<Holding> holdings,
    WaitCounts waits,
    long movedBytes,
    long movedOutputs,
    long moveFailures) {}
