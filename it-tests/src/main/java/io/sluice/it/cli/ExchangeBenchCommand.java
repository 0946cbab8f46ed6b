package io.sluice.it.cli;

import io.sluice.bench.local.ExchangeBench;
import io.sluice.bench.local.ExchangeBench.ExchangeShape;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice bench exchange}. */
@Command(
    name = "exchange",
    description =
        "Measures pull, push and hybrid exchange in the engine, through few and through many tasks.",
    mixinStandardHelpOptions = true)
final class ExchangeBenchCommand implements Callable<Integer> {
  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description = "Of what each job exchanges (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Option(
      names = "--shapes",
      split = ",",
      paramLabel = "MAPSxREDUCES",
      converter = ShapeConverter.class,
      defaultValue = "8x2,64x8,512x16,2000x32",
      description = "Tasks of the jobs (default: ${DEFAULT-VALUE}).")
  private List<ExchangeShape> shapes;

  @Mixin private RunsOption runs;

  /** As picocli tells of what is wrong. */
  static final class ShapeConverter implements ITypeConverter<ExchangeShape> {
    @Override
    public ExchangeShape convert(String text) {
      try {
        return ExchangeShape.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    new ExchangeBench(workspace, Console.standard(), sizeBytes, shapes)
        .run(runs.count(), new ResultFiles(workspace.results()));
    return 0;
  }
}
