package io.sluice.it.doctor;

import java.nio.file.Path;
import java.util.Optional;

/** Tries whether a NIC can register the memory of a pool. */
@FunctionalInterface
interface Trial {
  /**
   * What came of it.
   *
   * @param transport the one that tried
   * @param refusal why it did not work; empty if it did
   */
  record Outcome(String transport, Optional<String> refusal) {}

  /** Empty if no transport with a NIC works here, or the place is one that cannot be tried. */
  Optional<Outcome> of(Path place);
}
