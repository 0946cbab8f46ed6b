package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs many {@link Workload}s in few contexts, one after the other in one driver, and prints a
 * {@link ShufflePlanReport}; the {@link ShuffleJob} is for one of them.
 */
public final class ShufflePlanJob {
  private ShufflePlanJob() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("expected a plan as JSON, got " + List.of(arguments));
    }
    List<ContextReport> reports = new ArrayList<>();
    for (ContextPlan plan : ShufflePlan.parse(arguments[0]).contexts()) {
      reports.add(
          ContextRun.of(plan.name(), plan.settings(), new PlannedShuffles(plan.shuffles())));
    }
    System.out.println(new ObjectMapper().writeValueAsString(new ShufflePlanReport(reports)));
  }
}
