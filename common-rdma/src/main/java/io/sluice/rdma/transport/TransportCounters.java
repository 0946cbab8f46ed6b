package io.sluice.rdma.transport;

import io.sluice.rdma.metrics.WaitCounts;

/**
 * What an endpoint has done since it was opened: a snapshot, each number exact, not one instant.
 *
 * <p>On a server whose provider is one-sided the NIC answers reads, so {@code reads} and {@code
 * bytes} stay 0 there: the readers' counters are the ones to add up.
 *
 * @param reads reads finished normally
 * @param bytes bytes those moved
 * @param failedReads reads that failed for whatever reason, the timed-out ones among them
 * @param timedOutReads reads that missed their deadline
 * @param connections connections ever established
 * @param openConnections connections open now
 * @param registrations regions or buffers registered now
 * @param registeredBytes bytes registered now
 * @param served how long answering reads took, from the request to the last byte given to the
 *     system; of nothing where no code of ours answers
 */
public record TransportCounters(
    long reads,
    long bytes,
    long failedReads,
    long timedOutReads,
    long connections,
    long openConnections,
    long registrations,
    long registeredBytes,
    WaitCounts served) {}
