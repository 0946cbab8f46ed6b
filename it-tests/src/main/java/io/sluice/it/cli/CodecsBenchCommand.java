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
        "Measures a reduce's merge of the compressed runs of many maps: stock's with its default"
            + " factor, stock's with a factor of 100, and Sluice's.",
    mixinStandardHelpOptions = true)
final class CodecsBenchCommand extends MeasuringCommand {
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
