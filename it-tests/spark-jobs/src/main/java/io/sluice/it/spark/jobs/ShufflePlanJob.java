package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.ShuffleJob.WorkloadRows;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

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
      reports.add(ContextRun.of(plan.name(), plan.settings(), run -> shuffle(run, plan)));
    }
    System.out.println(new ObjectMapper().writeValueAsString(new ShufflePlanReport(reports)));
  }

  private static void shuffle(ContextRun run, ContextPlan plan) throws Exception {
    for (ShuffleArguments arguments : plan.shuffles()) {
      WorkloadRows rows = new WorkloadRows(run.session(), arguments);
      run.shuffle(arguments.toString(), rows.adaptiveReads(), rows::make);
    }
  }

  /**
   * The argument of the job: contexts that one driver opens one after the other.
   *
   * @param contexts in their order
   */
  public record ShufflePlan(List<ContextPlan> contexts) {

    /** The same shuffles in one context with no settings: what their results are compared with. */
    public ShufflePlan inOneContext() {
      List<ShuffleArguments> all =
          contexts.stream().flatMap(context -> context.shuffles().stream()).distinct().toList();
      return new ShufflePlan(List.of(new ContextPlan("all", Map.of(), all)));
    }

    /** As the job's argument. */
    public String toJson() {
      try {
        return new ObjectMapper().writeValueAsString(this);
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }

    static ShufflePlan parse(String json) throws JsonProcessingException {
      return new ObjectMapper().readValue(json, ShufflePlan.class);
    }
  }

  /**
   * One context of a {@link ShufflePlan}.
   *
   * @param name unique in the plan, for people
   * @param settings of the engine, beside those of {@code spark-submit}
   * @param shuffles that run in it, one after the other
   */
  public record ContextPlan(
      String name, Map<String, String> settings, List<ShuffleArguments> shuffles) {}

  /**
   * The output of the job, as one line of JSON.
   *
   * @param contexts in the plan's order
   */
  public record ShufflePlanReport(List<ContextReport> contexts) {}

  /**
   * The outcome of a {@link ContextPlan}.
   *
   * @param name the plan's
   * @param results of its shuffles, in their order
   * @param driverShuffleManager the class in use on the driver
   * @param driverState state of the driver's shuffle manager in the end, in its own words
   * @param executorShuffleManagers the classes that the tasks of the results found, by executor
   * @param executorStates states of the executors' shuffle managers in the end, in their own words
   * @param costs of all tasks
   * @param events that tasks do not tell of
   */
  public record ContextReport(
      String name,
      List<ShuffleResult> results,
      String driverShuffleManager,
      String driverState,
      SortedMap<String, String> executorShuffleManagers,
      SortedMap<String, String> executorStates,
      ShuffleCosts costs,
      ContextEvents events) {}

  /**
   * The result of one shuffle.
   *
   * @param name of the shuffle: the same for the same shuffle, and for no other
   * @param count rows of the result
   * @param digest of the result, whatever the order of its rows
   * @param sorted whether the keys of the result ascend through all its partitions; means something
   *     after a sort only
   * @param adaptiveReads how the final plan of a query reads its shuffles, such as {@code coalesced
   *     and skewed}
   * @param wallMs from the first stage to the last
   */
  public record ShuffleResult(
      String name,
      long count,
      String digest,
      boolean sorted,
      SortedSet<String> adaptiveReads,
      long wallMs) {}

  /**
   * Events of a context beside its tasks' work.
   *
   * @param executorsRemoved executors that were lost or released
   * @param speculativeTasks attempts that were started because another one is slow
   */
  public record ContextEvents(int executorsRemoved, int speculativeTasks) {}
}
