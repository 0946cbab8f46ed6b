package io.sluice.rdma;

import java.util.Optional;

/**
 * Names the release of Sluice that has a class, for logs and command lines. Thread contract:
 * stateless.
 */
public final class Release {
  private Release() {}

  /** The release in the manifest of the class's jar, or a text that there is none. */
  public static String of(Class<?> one) {
    return "Sluice "
        + Optional.ofNullable(one.getPackage().getImplementationVersion())
            .orElse("of no version: not from its jar");
  }
}
