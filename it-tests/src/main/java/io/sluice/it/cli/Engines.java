package io.sluice.it.cli;

import java.util.EnumSet;
import java.util.Set;

/** The option {@code --engines} of benches whose variants are measured beside stock. */
final class Engines {
  static final String DESCRIPTION =
      "Beside STOCK, some of ${COMPLETION-CANDIDATES} (default: all).";

  private Engines() {}

  /** What was asked for, and stock. */
  static <E extends Enum<E>> Set<E> withStock(E stock, Set<E> asked) {
    Set<E> all = EnumSet.of(stock);
    all.addAll(asked);
    return all;
  }
}
