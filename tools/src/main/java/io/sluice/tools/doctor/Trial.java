package io.sluice.tools.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Tries transports, and whether a NIC can register the memory of a pool. */
interface Trial {
  /**
   * What came of a place.
   *
   * @param transport the one that tried
   * @param refusal why it did not work; empty if it did
   */
  record Outcome(String transport, Optional<String> refusal) {}

  /**
   * Why a transport that is available cannot listen and register memory; empty if it can.
   *
   * @throws IOException if it could not be tried, which says nothing of the transport
   */
  Optional<String> failureOf(String transport) throws IOException;

  /**
   * Empty if no transport with a NIC works here, or the place is one that cannot be tried.
   *
   * @throws IOException if it could not be tried, which says nothing of the place
   */
  Optional<Outcome> of(Path place) throws IOException;
}
