package io.sluice.rdma;

import java.util.Optional;

/** Says which release of Sluice a class is of, for logs and command lines. */
public final class Release {
  private Release() {}

  /** What the manifest of the class's jar says; that there is none, if there is none. */
  public static String of(Class<?> one) {
    return "Sluice "
        + Optional.ofNullable(one.getPackage().getImplementationVersion())
            .orElse("of no version: not from its jar");
  }
}
