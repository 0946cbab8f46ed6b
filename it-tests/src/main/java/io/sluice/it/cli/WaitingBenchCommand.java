package io.sluice.it.cli;

import io.sluice.bench.node.WaitingBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench waiting}. */
@Command(
    name = "waiting",
    description = "Measures a node's service while tasks wait for memory.",
    mixinStandardHelpOptions = true)
final class WaitingBenchCommand extends MeasuringCommand {
  @Option(
      names = "--tasks",
      paramLabel = "COUNT",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "50,100,200",
      description = "Tasks that wait (default: ${DEFAULT-VALUE}).")
  private List<Integer> tasks;

  @Option(
      names = "--jar",
      paramLabel = "JAR",
      description =
          "Jar of sluice-tools to measure, of another release (default: the one that was built).")
  private Path jar;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Path measured = jar == null ? workspace.toolsJar() : jar.toAbsolutePath();
    new WaitingBench(measured, console, tasks).run(rounds, results);
  }
}
