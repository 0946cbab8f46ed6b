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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges what ran through Sluice by what stock Spark made of the same shuffles.
 *
 * <p>Thread contract: immutable. Failure: what is wrong is told, not thrown.
 */
public final class PlanOracle {
  private static final Pattern STATE =
      Pattern.compile(
          "Sluice read \\{(.*)} bytes, took over \\d+ bytes, and left to Spark: \\{(.*)}");
  private static final Set<String> NOT_FROM_PEERS_POOLS = Set.of("local", "spark");
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
    SortedMap<String, Long> bytes = bytesByWay(ours);
    bytes.keySet().removeAll(NOT_FROM_PEERS_POOLS);
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Bytes that executors read over each transport, out of their own pools or through Spark. */
  public static SortedMap<String, Long> bytesByWay(ContextReport ours) {
    SortedMap<String, Long> bytes = new TreeMap<>();
    ours.executorStates().values().stream()
        .flatMap(state -> entries(state, 1).stream())
        .map(way -> way.split("=(?=\\d+$)"))
        .forEach(way -> bytes.merge(way[0], Long.parseLong(way[1]), Long::sum));
    return bytes;
  }

  /** Why something was left to Spark, on the driver or an executor. */
  public static Set<String> fallbacks(ContextReport ours) {
    List<String> states = new ArrayList<>(ours.executorStates().values());
    states.add(ours.driverState());
    Set<String> reasons = new TreeSet<>();
    for (String state : states) {
      entries(state, 2)
          .forEach(reason -> reasons.add(reason.substring(0, reason.lastIndexOf('='))));
    }
    return reasons;
  }

  private static List<String> entries(String state, int group) {
    Matcher matcher = STATE.matcher(state);
    if (!matcher.matches()) {
      return List.of("no state of Sluice: " + state + "=0");
    }
    return matcher.group(group).isEmpty() ? List.of() : List.of(matcher.group(group).split(", "));
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
