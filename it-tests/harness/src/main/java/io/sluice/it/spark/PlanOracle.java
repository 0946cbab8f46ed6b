package io.sluice.it.spark;

import io.sluice.it.spark.jobs.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanReport;
import io.sluice.it.spark.jobs.ShuffleResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;

/**
 * Judges what ran through Sluice by what stock Spark made of the same shuffles.
 *
 * <p>Thread contract: immutable. Failure: what is wrong is told, not thrown.
 */
public final class PlanOracle {
  private static final Set<String> BOTH_EXECUTORS = Set.of("0", "1");

  private final Map<String, ShuffleResult> expected = new HashMap<>();

  /** {@code stock} has a result for each of the shuffles. */
  public PlanOracle(ShufflePlanReport stock) {
    for (ContextReport context : stock.contexts()) {
      context.results().forEach(result -> expected.put(result.name(), result));
    }
  }

  /** What differs from stock's results, or did not run under Sluice's manager. */
  public List<String> wrongResults(ContextReport ours) {
    Checks checks = new Checks(ours.name());
    for (ShuffleResult result : ours.results()) {
      ShuffleResult stock = expected.get(result.name());
      checks.equal("rows of " + result.name(), stock.count(), result.count());
      checks.equal("digest of " + result.name(), stock.digest(), result.digest());
      checks.equal("order of " + result.name(), stock.sorted(), result.sorted());
    }
    checks.equal("driver's manager", SparkJob.SLUICE_MANAGER, ours.driverShuffleManager());
    checks.equal(
        "executors' managers",
        Set.of(SparkJob.SLUICE_MANAGER),
        Set.copyOf(ours.executorShuffleManagers().values()));
    return checks.wrong;
  }

  /**
   * What is wrong in a context whose two executors nobody disturbed: a failed task, a remote byte
   * that no pool has served, a fallback for another reason than those given.
   */
  public static List<String> wrongTraffic(ContextReport ours, Set<String> expectedFallbacks) {
    Checks checks = new Checks(ours.name());
    checks.equal("failed tasks", 0L, ours.costs().failedTasks());
    checks.equal("executors", BOTH_EXECUTORS, ours.executorStates().keySet());
    checks.equal("remote bytes that pools served", ours.costs().remoteBytesRead(), served(ours));
    checks.equal("blocks moved", true, ours.costs().remoteBytesRead() > 0);
    checks.equal("fallbacks", expectedFallbacks, fallbacks(ours));
    return checks.wrong;
  }

  /** Bytes of remote blocks that executors had from pools. */
  public static long served(ContextReport ours) {
    return ShuffleState.of(ours.executorStates().values()).servedBytes();
  }

  /**
   * Bytes that executors read over each transport, with answers, out of their own pools or through
   * Spark.
   */
  public static SortedMap<String, Long> bytesByWay(ContextReport ours) {
    return ShuffleState.of(ours.executorStates().values()).bytesByWay();
  }

  /** Why something was left to Spark, on the driver or an executor. */
  public static Set<String> fallbacks(ContextReport ours) {
    List<String> states = new ArrayList<>(ours.executorStates().values());
    states.add(ours.driverState());
    return ShuffleState.of(states).fallbacks().keySet();
  }

  private static final class Checks {
    private final String context;
    private final List<String> wrong = new ArrayList<>();

    Checks(String context) {
      this.context = context;
    }

    void equal(String what, Object expected, Object actual) {
      if (!Objects.equals(expected, actual)) {
        wrong.add("%s: %s: expected %s, got %s".formatted(context, what, expected, actual));
      }
    }
  }
}
