package io.sluice.it.lab;

import java.util.Optional;

/** The seed that all randomized tests are to have, as whoever started this process gave it. */
public final class GivenSeed {
  private static final String PROPERTY = "sluice.test.seed";

  private GivenSeed() {}

  /** What hands it on to a JVM, or to Maven; nothing if none was given. */
  public static Optional<String> argument() {
    return Optional.ofNullable(Long.getLong(PROPERTY)).map(seed -> "-D" + PROPERTY + "=" + seed);
  }
}
