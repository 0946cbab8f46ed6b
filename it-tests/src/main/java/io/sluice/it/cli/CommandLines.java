package io.sluice.it.cli;

import io.sluice.tools.Tools.Failure;
import picocli.CommandLine;

/** How what is typed is read. */
final class CommandLines {
  private CommandLines() {}

  /** Of a command and those below it; names of engines, workloads and parts in either case. */
  static CommandLine of(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Failure::refuse)
        .setExecutionExceptionHandler(Failure::report);
  }
}
