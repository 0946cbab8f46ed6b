package io.sluice.rdma.transport;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;

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
    WaitCounts served) {
  /** Of an endpoint that never was. */
  public static final TransportCounters NONE =
      new TransportCounters(0, 0, 0, 0, 0, 0, 0, 0, WaitCounts.NONE);

  /** Both together. */
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

  /** What stays of them when the endpoint is closed. */
  public TransportCounters ended() {
    return new TransportCounters(
        reads, bytes, failedReads, timedOutReads, connections, 0, 0, 0, served);
  }
}
