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
        "Measures RMR-NVM's programs on YARN: stock, stock tuned, Sluice, the same with its archive"
            + " of classes, and with pools as slow as NVRAM.",
    mixinStandardHelpOptions = true)
final class RmrBenchCommand implements Callable<Integer> {
  private static final List<RmrWorkload> ALL = List.of(RmrWorkload.values());

  @Mixin private RmrOptions options;

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description =
          "Of the inputs; of those that several jobs read, a half or a quarter (default:"
              + " ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Override
  public Integer call() {
    return options.run(
        (rounds, console, count, files) ->
            new RmrBench(rounds, console, sizeBytes, options.workloads(ALL)).run(count, files));
  }
}
