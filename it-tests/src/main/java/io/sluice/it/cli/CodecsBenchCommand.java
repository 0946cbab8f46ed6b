package io.sluice.it.cli;

import io.sluice.bench.codecs.BenchCodec;
import io.sluice.bench.codecs.CodecsBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench codecs}. */
@Command(
    name = "codecs",
    description =
        "Measures the merge of a reduce over the compressed runs of many maps: stock's, with its"
            + " default factor and with 100, and Sluice's.",
    mixinStandardHelpOptions = true)
final class CodecsBenchCommand implements Callable<Integer> {
  @Option(
      names = "--maps",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "1000,10000",
      description = "How many runs are merged, one of each map (default: ${DEFAULT-VALUE}).")
  private List<Integer> maps;

  @Option(
      names = "--records",
      converter = SizeConverter.class,
      defaultValue = "500k",
      description = "Of all runs together, of some 100 bytes each (default: ${DEFAULT-VALUE}).")
  private long records;

  @Option(
      names = "--codecs",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES} (default: all).")
  private List<BenchCodec> codecs = List.of(BenchCodec.values());

  @Option(
      names = "--dir",
      description =
          "Where files are made, and deleted in the end, such as /dev/shm (default: in target).")
  private Path directory;

  @Option(
      names = "--runs",
      converter = CountConverter.class,
      defaultValue = "3",
      description = "How often each variant runs (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Path place = directory == null ? workspace.clusters() : directory.resolve("sluice-codecs");
    new CodecsBench(Console.standard(), maps, records, codecs)
        .run(workspace, place, rounds, new ResultFiles(workspace.results()));
    return 0;
  }
}
