package io.sluice.it.cli;

import picocli.CommandLine.Command;

/** {@code sluice matrix}. */
@Command(
    name = "matrix",
    description = "Shows with which releases Sluice works, and writes that into a page.",
    subcommands = SparkMatrixCommand.class,
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true)
final class MatrixCommand {}
