package io.sluice.node.probe;

import java.util.Optional;

/**
 * The result of probing one transport.
 *
 * @param transport its name
 * @param speed the measurement; empty if it does not work between the two hosts
 * @param cause why it does not, in plain words; empty if it does
 */
public record ProbeResult(String transport, Optional<Speed> speed, String cause) {

  /**
   * A measurement whose bytes were all checked.
   *
   * @param latencyReads how many small reads, one after the other
   * @param latencyBytes the length of each
   * @param medianNs their median, in nanoseconds
   * @param p99Ns what 99 of 100 of them did not exceed, in nanoseconds
   * @param bandwidthReads how many large reads
   * @param bandwidthBytes the length of each
   * @param inFlight how many of them at a time
   * @param bytesPerSecond what these came to
   */
  public record Speed(
      int latencyReads,
      int latencyBytes,
      long medianNs,
      long p99Ns,
      int bandwidthReads,
      int bandwidthBytes,
      int inFlight,
      long bytesPerSecond) {}

  static ProbeResult works(String transport, Speed speed) {
    return new ProbeResult(transport, Optional.of(speed), "");
  }

  static ProbeResult fails(String transport, String cause) {
    return new ProbeResult(transport, Optional.empty(), cause);
  }
}
