package io.sluice.it.cli;

import picocli.CommandLine.Option;

/** How often a bench runs everything: the spread of fewer than five rounds says little. */
final class RunsOption {
  @Option(
      names = "--runs",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "5",
      description = "How often each variant runs (default: ${DEFAULT-VALUE}).")
  private int runs;

  int count() {
    return runs;
  }
}
