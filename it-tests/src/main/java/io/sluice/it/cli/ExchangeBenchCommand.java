package io.sluice.it.cli;

import io.sluice.bench.local.ExchangeBench;
import io.sluice.bench.local.ExchangeBench.ExchangeShape;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice bench exchange}. */
@Command(
    name = "exchange",
    description =
        "Measures pull, push and hybrid exchange in the engine of one process, by the number of tasks.",
    mixinStandardHelpOptions = true)
final class ExchangeBenchCommand extends MeasuringCommand {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description = "Size of the data that each job exchanges (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Option(
      names = "--shapes",
      split = ",",
      paramLabel = "MAPSxREDUCES",
      converter = ShapeConverter.class,
      defaultValue = "8x2,64x8,512x16,2000x32",
      description = "Maps and reduces of each job (default: ${DEFAULT-VALUE}).")
  private List<ExchangeShape> shapes;

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
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new ExchangeBench(workspace, console, sizeBytes, shapes).run(rounds, results);
  }
}
