package io.sluice.it.cli;

import io.sluice.bench.ResultPage;
import io.sluice.bench.model.Measurements;
import io.sluice.bench.model.ModelBench;
import io.sluice.bench.model.ModelPage;
import io.sluice.bench.model.ShuffleLimits;
import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.reduce.FetchRules;
import io.sluice.hadoop.reduce.ReduceWindows;
import io.sluice.it.cli.SharedOptions.CountConverter;
import io.sluice.it.cli.SharedOptions.SizeConverter;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.node.conf.LimitSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice model}. */
@Command(
    name = "model",
    description =
        "Measures Spark's persisted blocks, fits the model of Chen and Rodero to them, and checks it."
            + " It draws what the model says of larger clusters (docs/model.md).",
    mixinStandardHelpOptions = true)
final class ModelCommand implements Callable<Integer> {
  @Mixin private SharedOptions.Install install;

  /** Forty map outputs and eight reduces at a time: some five waves of maps on eight containers. */
  private static final ShuffleLoad LOAD = new ShuffleLoad(40, 8);

  private static final long MIB = 1 << 20;

  /** As where nothing is set. */
  private static final UnaryOperator<String> DEFAULTS = name -> null;

  @Option(
      names = "--runs",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "3",
      description =
          "How often each benchmark runs over the same blocks (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--sizes",
      paramLabel = "SIZE",
      split = ",",
      converter = SizeConverter.class,
      defaultValue = "48m,96m,144m,192m,288m,384m",
      description =
          "Sizes of LineCounter's text (default: ${DEFAULT-VALUE}). The other programs read less. The"
              + " model is fitted to every other size and checked by the rest.")
  private List<Long> sizes;

  @Option(
      names = "--measured",
      paramLabel = "FILE",
      description = "Measure nothing, and read the model.json of an earlier run.")
  private Path measured;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (sizes.stream().distinct().count() != sizes.size()
        || sizes.size() < ModelBench.LEAST_SIZES) {
      throw new ParameterException(
          spec.commandLine(),
          "--sizes takes %d different ones or more: two to fit a line, one to check it"
              .formatted(ModelBench.LEAST_SIZES));
    }
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    ResultFiles results = new ResultFiles(workspace.results());
    Measurements measurements;
    if (measured != null) {
      measurements = Measurements.read(measured);
    } else {
      SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
      measurements = new ModelBench(workspace, console, spark, sizes, runs).run();
      ModelPage.keep(measurements, results); // whatever the model makes of them
    }
    ResultPage page = ModelPage.of(measurements, LOAD, limits());
    console.say("");
    console.say(page.toText());
    page.write(results).forEach(console::say);
    return 0;
  }

  static ShuffleLimits limits() {
    long reduceBytes = JobSettings.REDUCE_BUFFER_MB.get(DEFAULTS) * MIB;
    return new ShuffleLimits(
        NodeSettings.LIMITS.maxConnections().get(DEFAULTS),
        NodeSettings.LIMITS.maxConnections().name(),
        LimitSettings.SPARK.maxConnections().get(DEFAULTS),
        LimitSettings.SPARK.maxConnections().name(),
        FetchRules.MAX_MAPS_AT_ONCE,
        NodeSettings.NODE_MEMORY_MB.get(DEFAULTS) * MIB,
        NodeSettings.NODE_MEMORY_MB.name(),
        reduceBytes,
        JobSettings.REDUCE_BUFFER_MB.name(),
        ReduceWindows.MIN_WINDOW_BYTES,
        maps -> ReduceWindows.of(reduceBytes, maps, Integer.MAX_VALUE).count());
  }
}
