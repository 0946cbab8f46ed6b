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
        "Measures RMR-NVM's programs on YARN: stock, stock tuned, Sluice, the same with its archive"
            + " of classes, and with pools as slow as NVRAM.",
    mixinStandardHelpOptions = true)
final class RmrBenchCommand extends RmrOptions {
  private static final List<RmrWorkload> ALL = List.of(RmrWorkload.values());

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description =
          "Of the inputs; of those that several jobs read, a half or a quarter (default:"
              + " ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  void run(RmrRounds by, Console console, int rounds, ResultFiles results) {
    new RmrBench(by, console, sizeBytes, workloads(ALL)).run(rounds, results);
  }
}
