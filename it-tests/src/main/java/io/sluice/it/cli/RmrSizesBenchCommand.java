package io.sluice.it.cli;

import io.sluice.bench.hadoop.RmrRounds;
import io.sluice.bench.hadoop.RmrSizesBench;
import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench rmr-sizes}. */
@Command(
    name = "rmr-sizes",
    description =
        "Measures Sort and TeraSort, or other programs, over three sizes, as bench rmr-nvm does:"
            + " their maps, their reduces, and what each map spills.",
    mixinStandardHelpOptions = true)
final class RmrSizesBenchCommand extends RmrOptions {
  private static final List<RmrWorkload> SORTS = List.of(RmrWorkload.SORT, RmrWorkload.TERASORT);

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "768m",
      description =
          "Size of the largest input (default: ${DEFAULT-VALUE}). The others are a third and two"
              + " thirds of it.")
  private long largestBytes;

  @Override
  void run(RmrRounds by, Console console, int rounds, ResultFiles results) {
    new RmrSizesBench(by, console, largestBytes, workloads(SORTS)).run(rounds, results);
  }
}
