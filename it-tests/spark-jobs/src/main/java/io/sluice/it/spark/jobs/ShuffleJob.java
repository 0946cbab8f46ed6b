package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/**
 * Runs one {@link Workload} over made-up rows and prints a {@link ShuffleReport}. Everything else
 * is the engine's configuration.
 */
public final class ShuffleJob {
  private ShuffleJob() {}

  public static void main(String[] arguments) throws Exception {
    ShuffleReport report = run(ShuffleArguments.parse(arguments));
    System.out.println(new ObjectMapper().writeValueAsString(report));
  }

  static ShuffleReport run(ShuffleArguments arguments) throws Exception {
    ContextReport context =
        ContextRun.of(arguments.toString(), Map.of(), new PlannedShuffles(List.of(arguments)));
    ShuffleResult result = context.results().get(0);
    return new ShuffleReport(
        arguments.workload(),
        result.count(),
        result.digest(),
        result.sorted(),
        result.adaptiveReads(),
        context.driverShuffleManager(),
        context.executorShuffleManagers(),
        context.executorStates(),
        context.costs(),
        result.wallMs());
  }
}
