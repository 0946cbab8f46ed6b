package io.sluice.rdma.transport;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;

/**
 * The counters of an endpoint since it was opened. Each number is exact, but they are not read at
 * one instant.
 *
 * <p>On the server of a one-sided provider the NIC answers reads, so {@code reads} and {@code
 * bytes} stay 0 there. Add up the readers' counters instead.
 *
 * @param reads reads completed normally
 * @param bytes bytes of those reads
 * @param failedReads failed reads, including those that timed out
 * @param timedOutReads reads that missed their deadline
 * @param connections connections ever established
 * @param openConnections connections open now
 * @param registrations regions or buffers registered now
 * @param registeredBytes bytes registered now
 * @param served the durations of answers to reads, from the request to the last byte passed to the
 *     system; empty if the NIC answers
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
    WaitCounts served) {
  /** All zero. */
  public static final TransportCounters NONE =
      new TransportCounters(0, 0, 0, 0, 0, 0, 0, 0, WaitCounts.NONE);

  /** The sum of both. */
  public TransportCounters plus(TransportCounters other) {
    return new TransportCounters(
        reads + other.reads,
        bytes + other.bytes,
        failedReads + other.failedReads,
        timedOutReads + other.timedOutReads,
        connections + other.connections,
        openConnections + other.openConnections,
        registrations + other.registrations,
        registeredBytes + other.registeredBytes,
        served.plus(other.served));
  }

  /** The counters that remain when the endpoint is closed. */
  public TransportCounters ended() {
    return new TransportCounters(
        reads, bytes, failedReads, timedOutReads, connections, 0, 0, 0, served);
  }
}
