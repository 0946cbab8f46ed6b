package io.sluice.it.cli;

import io.sluice.bench.rmr.RmrSizesBench;
import io.sluice.bench.rmr.RmrWorkload;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench rmr-sizes}. */
@Command(
    name = "rmr-sizes",
    description =
        "Measures Sort and TeraSort, or other programs, over three sizes, as bench rmr-nvm does:"
            + " their maps, their reduces, and what each map spills.",
    mixinStandardHelpOptions = true)
final class RmrSizesBenchCommand implements Callable<Integer> {
  private static final List<RmrWorkload> SORTS = List.of(RmrWorkload.SORT, RmrWorkload.TERASORT);

  @Mixin private RmrOptions options;

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
  public Integer call() {
    return options.run(
        (rounds, console, count, files) ->
            new RmrSizesBench(rounds, console, largestBytes, options.workloads(SORTS))
                .run(count, files));
  }
}
