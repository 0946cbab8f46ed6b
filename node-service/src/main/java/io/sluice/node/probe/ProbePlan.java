package io.sluice.node.probe;

/**
 * How much is read over a transport, and how.
 *
 * @param latencyReads small reads, one after the other
 * @param latencyBytes length of each; divides {@link ProbePattern#LENGTH_BYTES}
 * @param bandwidthReads large reads, at most
 * @param bandwidthBytes length of each; divides {@link ProbePattern#LENGTH_BYTES}
 * @param inFlight large reads at a time
 * @param bandwidthMs after so long no further large read is begun, for slow links
 */
public record ProbePlan(
    int latencyReads,
    int latencyBytes,
    int bandwidthReads,
    int bandwidthBytes,
    int inFlight,
    long bandwidthMs) {
  /** 1,000 reads of 4 KiB; then reads of 1 MiB, 4 at a time, 1,024 of them or for 5 s. */
  public static final ProbePlan STANDARD = new ProbePlan(1000, 4096, 1024, 1 << 20, 4, 5000);
}
