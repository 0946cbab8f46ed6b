package io.sluice.it.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice matrix}. */
@Command(
    name = "matrix",
    description = "Shows which releases Sluice works with, and writes the table of them.",
    subcommands = SparkMatrixCommand.class,
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true)
final class MatrixCommand {
  @Mixin private InstallOptions install;
}
