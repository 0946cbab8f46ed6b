package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Tries a transport, and tries to register the memory of a candidate for a pool with a NIC. */
interface Trial {
  /**
   * The outcome of a trial with one candidate.
   *
   * @param transport the transport that tried to register it
   * @param refusal why that failed; empty if it worked
   */
  record Outcome(String transport, Optional<String> refusal) {}

  /**
   * Returns why an available transport cannot listen and register memory; empty if it can.
   *
   * @throws IOException if the trial itself failed, which says nothing about the transport
   */
  Optional<String> failureOf(String transport) throws IOException;

  /**
   * Tries to register memory of a candidate. Empty if no transport with a NIC works here, or if
   * this candidate cannot be tried.
   *
   * @throws IOException if the trial itself failed, which says nothing about the candidate
   */
  Optional<Outcome> of(Path candidate) throws IOException;
}
