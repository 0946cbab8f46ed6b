package io.sluice.tools.doctor;

import io.sluice.tools.doctor.Doctor.Trial;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Says what it is told to, of every transport and of every place.
 *
 * @param failure why what is tried does not work; empty if it does
 */
record FakeTrial(Optional<String> failure) implements Trial {
  @Override
  public Optional<String> failureOf(String transport) {
    return failure;
  }

  @Override
  public Optional<Outcome> of(Path place) {
    return Optional.of(new Outcome("verbs", failure));
  }
}
