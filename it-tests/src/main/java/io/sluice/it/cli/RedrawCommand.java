package io.sluice.it.cli;

import io.sluice.bench.ResultPage.StoredPlots;
import io.sluice.it.report.Console;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice bench redraw}. */
@Command(
    name = "redraw",
    description = "Draws the plots of results again from their JSON, and writes them beside it.",
    mixinStandardHelpOptions = true)
final class RedrawCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "JSON",
      description = "Files of results, such as docs/results/*.json.")
  private List<Path> results;

  @Override
  public Integer call() {
    Console console = Console.standard();
    results.stream().map(StoredPlots::drawAgain).forEach(said -> said.forEach(console::say));
    return 0;
  }
}
