package io.sluice.it.cli;

import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The option {@code --engines} of benches whose variants are measured beside stock. */
final class Engines {
  static final String DESCRIPTION =
      "Variants that run beside STOCK: ${COMPLETION-CANDIDATES} (default: all).";

  private Engines() {}

  /** Refuses what a bench cannot run. */
  static <E extends Enum<E>> void check(CommandSpec spec, Set<E> asked, Set<E> possible) {
    for (E engine : asked) {
      if (!possible.contains(engine)) {
        throw new ParameterException(
            spec.commandLine(), "this bench has no " + engine + ", only " + possible);
      }
    }
  }

  /** What was asked for, and stock. */
  static <E extends Enum<E>> Set<E> withStock(E stock, Set<E> asked) {
    Set<E> all = EnumSet.of(stock);
    all.addAll(asked);
    return all;
  }
}
