package io.sluice.it.cli;

import io.sluice.bench.rmr.RmrBench;
import io.sluice.bench.rmr.RmrWorkload;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench rmr-nvm}. */
@Command(
    name = "rmr-nvm",
    description =
        "Measures the programs of the RMR-NVM paper on YARN: stock, stock tuned, Sluice, Sluice with"
            + " its archive of classes, and Sluice with pools as slow as NVRAM.",
    mixinStandardHelpOptions = true)
final class RmrBenchCommand implements Callable<Integer> {
  private static final List<RmrWorkload> ALL = List.of(RmrWorkload.values());

  @Mixin private RmrOptions options;

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
  public Integer call() {
    return options.run(
        (rounds, console, count, files) ->
            new RmrBench(rounds, console, sizeBytes, options.workloads(ALL)).run(count, files));
  }
}
