package io.sluice.it.cli;

import io.sluice.bench.hadoop.RmrBench;
import io.sluice.bench.hadoop.RmrRounds;
import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench rmr-nvm}. */
@Command(
    name = "rmr-nvm",
    description =
        "Measures the programs of the RMR-NVM paper on YARN: stock, stock tuned, Sluice, Sluice with"
            + " its archive of classes, and Sluice with pools as slow as NVRAM.",
    mixinStandardHelpOptions = true)
final class RmrBenchCommand extends RmrOptions {
  private static final List<RmrWorkload> ALL = List.of(RmrWorkload.values());

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description =
          "Size of the inputs (default: ${DEFAULT-VALUE}). An input that several jobs read has a"
              + " half or a quarter of it.")
  private long sizeBytes;

  @Override
  void run(RmrRounds by, Console console, int rounds, ResultFiles results) {
    new RmrBench(by, console, sizeBytes, workloads(ALL)).run(rounds, results);
  }
}
