package io.sluice.it.cli;

import io.sluice.bench.ResultPage;
import io.sluice.bench.codecs.CodecsBench;
import io.sluice.bench.codecs.MergeProgram.BenchCodec;
import io.sluice.bench.local.ChainBench;
import io.sluice.bench.local.ExchangeBench;
import io.sluice.bench.local.ExchangeBench.ExchangeShape;
import io.sluice.bench.local.HoneBench;
import io.sluice.bench.local.HoneBench.HoneWorkload;
import io.sluice.bench.local.HoneClients;
import io.sluice.bench.local.HoneClients.HoneVariant;
import io.sluice.bench.local.LocalDemo;
import io.sluice.bench.local.ScalingBench;
import io.sluice.bench.local.SyntheticBench;
import io.sluice.bench.local.SyntheticBench.SyntheticShape;
import io.sluice.bench.micro.MicroBenchmarks;
import io.sluice.it.cli.SharedOptions.CountConverter;
import io.sluice.it.cli.SharedOptions.SizeConverter;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * The benches of {@code sluice bench} that measure one process, a part of one, or a job on one
 * machine. Those of the Hone paper start a cluster of daemons beside it.
 */
final class OneProcessBenches {
  private OneProcessBenches() {}

  @Command(
      name = "local",
      description =
          "Measures TeraSort and WordCount in one process: LocalJobRunner and Sluice's engine.")
  static final class Local extends MeasuringCommand {
    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "1g",
        description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
    private long sizeBytes;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      LocalDemo.bench(workspace, console, sizeBytes).run(rounds, results, "bench-local");
    }
  }

  @Command(
      name = "chain",
      description =
          "Measures chains of sorts and of trivial jobs in one process: LocalJobRunner, Sluice's engine"
              + " on files, and Sluice's engine with its files in memory.")
  static final class Chain extends MeasuringCommand {
    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "256m",
        description = "Size of the sorted data (default: ${DEFAULT-VALUE}).")
    private long sizeBytes;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      new ChainBench(workspace, console, sizeBytes).run(rounds, results);
    }
  }

  @Command(
      name = "exchange",
      description =
          "Measures pull, push and hybrid exchange in the engine of one process, by the number of tasks.")
  static final class Exchange extends MeasuringCommand {
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

    /** Reads {@code 64x8}. */
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

  @Command(
      name = "scaling",
      description =
          "Measures the engine of one process with one thread and with two. It simulates up to 64"
              + " threads from the times of the tasks.")
  static final class Scaling extends MeasuringCommand {
    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "1g",
        description =
            "Size of TeraSort's input (default: ${DEFAULT-VALUE}). LDA reads an input that takes about as long.")
    private long sizeBytes;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      new ScalingBench(workspace, console, sizeBytes).run(rounds, results);
    }
  }

  @Command(
      name = "hone",
      description =
          "Measures the applications of the Hone paper on one machine: a cluster of daemons,"
              + " LocalJobRunner, Sluice's engine, Spark.")
  static final class Hone extends MeasuringCommand {
    @Option(
        names = "--size",
        paramLabel = "NAME",
        defaultValue = "SMALL",
        description = "Size of the inputs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private HoneWorkload.InputSize size;

    @Option(
        names = "--workload",
        paramLabel = "NAME",
        split = ",",
        description = "Applications to measure: ${COMPLETION-CANDIDATES} (default: all).")
    private List<HoneWorkload> workloads = List.of(HoneWorkload.values());

    @Option(names = "--engines", paramLabel = "NAME", split = ",", description = ENGINES)
    private Set<HoneVariant> variants = EnumSet.allOf(HoneVariant.class);

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      Set<HoneVariant> all = withStock(HoneVariant.STOCK, variants);
      try (HoneClients clients = HoneClients.open(workspace, console, all)) {
        new HoneBench(console, clients, workloads, size, all).run(rounds, results);
      }
    }
  }

  @Command(
      name = "synthetic",
      description =
          "Measures the synthetic job of the Hone paper by kinds of keys, sizes of values and"
              + " arithmetic: a cluster of daemons, LocalJobRunner, Sluice's engine.")
  static final class Synthetic extends MeasuringCommand {
    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "400k",
        description = "Lines of the text, of some 75 bytes each (default: ${DEFAULT-VALUE}).")
    private long lines;

    @Option(
        names = "--parts",
        paramLabel = "NAME",
        split = ",",
        description = "Parts to measure: ${COMPLETION-CANDIDATES} (default: all).")
    private List<SyntheticShape.Part> parts = List.of(SyntheticShape.Part.values());

    @Option(
        names = "--engines",
        paramLabel = "NAME",
        split = ",",
        description =
            "Variants to measure, STOCK always among them: CLUSTER, STOCK, SLUICE (default: all).")
    private Set<HoneVariant> variants = SyntheticBench.VARIANTS;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      check(variants, SyntheticBench.VARIANTS);
      Set<HoneVariant> all = withStock(HoneVariant.STOCK, variants);
      try (HoneClients clients = HoneClients.open(workspace, console, all)) {
        new SyntheticBench(console, clients, parts, lines, all).run(rounds, results);
      }
    }
  }

  @Command(
      name = "codecs",
      description =
          "Measures a reduce's merge of the compressed runs of many maps: stock's with its default"
              + " factor, stock's with a factor of 100, and Sluice's.")
  static final class Codecs extends MeasuringCommand {
    @Option(
        names = "--maps",
        paramLabel = "COUNT",
        split = ",",
        converter = CountConverter.class,
        defaultValue = "1000,10000",
        description =
            "Number of maps; the reduce merges one run of each (default: ${DEFAULT-VALUE}).")
    private List<Integer> maps;

    @Option(
        names = "--records",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "500k",
        description =
            "Records of all runs together, of some 100 bytes each (default: ${DEFAULT-VALUE}).")
    private long records;

    @Option(
        names = "--codecs",
        paramLabel = "NAME",
        split = ",",
        description = "Codecs to measure: ${COMPLETION-CANDIDATES} (default: all).")
    private List<BenchCodec> codecs = List.of(BenchCodec.values());

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description =
            "Directory for the bench's files, which it deletes at its end; /dev/shm is in memory (default: in target).")
    private Path directory;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      CodecsBench bench = new CodecsBench(console, maps, records, codecs);
      if (directory == null) {
        bench.run(workspace, workspace.clusters(), rounds, results);
        return;
      }
      Path place = directory.resolve("sluice-codecs-" + System.getProperty("user.name"));
      try {
        bench.run(workspace, place, rounds, results);
      } finally {
        place.toFile().delete(); // if nothing is in it: another bench of this user may be at work
      }
    }
  }

  @Command(name = "micro", description = "Measures single steps of the data path, with JMH.")
  static final class Micro implements Callable<Integer> {
    @Parameters(
        arity = "0..1",
        paramLabel = "PATTERN",
        defaultValue = "Benchmark",
        description =
            "Runs only benchmarks whose names contain it, such as Sort or MergeBenchmark.merge.")
    private String pattern;

    @Override
    public Integer call() throws RunnerException {
      Console console = Console.standard();
      ResultPage page = MicroBenchmarks.run(pattern);
      console.say("\n" + page.toText());
      page.write(new ResultFiles(Workspace.find().results())).forEach(console::say);
      return 0;
    }
  }
}
