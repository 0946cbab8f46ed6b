package io.sluice.it.cli;

import io.sluice.bench.ResultPage;
import io.sluice.bench.micro.MicroBenchmarks;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice bench micro}. */
@Command(
    name = "micro",
    description = "Measures single steps of the data path, with JMH.",
    mixinStandardHelpOptions = true)
final class MicroBenchCommand implements Callable<Integer> {
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
