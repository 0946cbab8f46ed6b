package io.sluice.it.spark;

import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShuffleResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

  /** Differences from stock's results, and all that did not run under Sluice's manager. */
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
   * Faults of a context whose two executors nobody disturbed: a failed task, a remote byte that no
   * pool has served, a fallback for another reason than those given.
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

  /**
   * The sentences in which shuffle managers of Sluice describe themselves, taken apart.
   *
   * @param bytesByWay read over each transport, with answers, out of an executor's own pool or
   *     through Spark
   * @param takenOverBytes of outputs that others moved there
   * @param fallbacks how often something was left to Spark, by reason; another manager is one too
   */
  public record ShuffleState(
      SortedMap<String, Long> bytesByWay, long takenOverBytes, SortedMap<String, Long> fallbacks) {
    private static final Pattern SENTENCE =
        Pattern.compile(
            "Sluice read \\{(.*)} bytes, took over (\\d+) bytes, and left to Spark: \\{(.*)}");
    private static final Set<String> NOT_FROM_PEERS_POOLS = Set.of("local", "spark");

    /** The sum of what some managers have said. */
    public static ShuffleState of(Collection<String> sentences) {
      SortedMap<String, Long> bytesByWay = new TreeMap<>();
      SortedMap<String, Long> fallbacks = new TreeMap<>();
      long takenOverBytes = 0;
      for (String sentence : sentences) {
        Matcher matcher = SENTENCE.matcher(sentence);
        if (matcher.matches()) {
          addAll(bytesByWay, matcher.group(1));
          takenOverBytes += Long.parseLong(matcher.group(2));
          addAll(fallbacks, matcher.group(3));
        } else {
          fallbacks.merge("no state of Sluice: " + sentence, 1L, Long::sum);
        }
      }
      return new ShuffleState(bytesByWay, takenOverBytes, fallbacks);
    }

    /** Adds up a map as Java prints it. */
    private static void addAll(SortedMap<String, Long> sums, String entries) {
      if (!entries.isEmpty()) {
        for (String entry : entries.split(", ")) {
          int end = entry.lastIndexOf('=');
          sums.merge(entry.substring(0, end), Long.parseLong(entry.substring(end + 1)), Long::sum);
        }
      }
    }

    /** Bytes of remote blocks that came out of pools. */
    public long servedBytes() {
      return bytesByWay.entrySet().stream()
          .filter(way -> !NOT_FROM_PEERS_POOLS.contains(way.getKey()))
          .mapToLong(way -> way.getValue())
          .sum();
    }
  }
}
