package io.sluice.it.cli;

import io.sluice.bench.codecs.CodecsBench;
import io.sluice.bench.codecs.MergeProgram.BenchCodec;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench codecs}. */
@Command(
    name = "codecs",
    description =
        "Measures the merge of a reduce over the compressed runs of many maps: stock's, with its"
            + " default factor and with 100, and Sluice's.",
    mixinStandardHelpOptions = true)
final class CodecsBenchCommand extends MeasuringCommand {
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
