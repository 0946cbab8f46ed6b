package io.sluice.bench.rmr;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.it.job.JobCosts;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * What has been measured so far. Not thread-safe.
 *
 * @param <C> what was measured: a program, or a program on an input of some size
 */
final class RmrCosts<C> {
  static final DoubleFunction<String> SECONDS = ms -> "%.1f s".formatted(ms / 1e3);
  static final DoubleFunction<String> MEGABYTES = bytes -> "%.0f MB".formatted(bytes / 1e6);
  static final DoubleFunction<String> MILLISECONDS = "%.0f ms"::formatted;

  private static final List<Ratio<RmrVariant>> RATIOS =
      List.of(
          new Ratio<>(RmrVariant.SLUICE, RmrVariant.STOCK),
          new Ratio<>(RmrVariant.SLUICE, RmrVariant.TUNED),
          new Ratio<>(RmrVariant.ARCHIVE, RmrVariant.STOCK),
          new Ratio<>(RmrVariant.NVRAM, RmrVariant.STOCK));

  private final Map<C, List<Map<RmrVariant, JobCosts>>> rounds = new LinkedHashMap<>();

  /** Adds the rounds of a case; all have as many, of the same variants. */
  void add(C measured, List<Map<RmrVariant, JobCosts>> costs) {
    rounds.put(measured, List.copyOf(costs));
  }

  /** What was measured, in that order. */
  Set<C> cases() {
    return rounds.keySet();
  }

  /** All of it, raw. */
  Map<C, List<Map<RmrVariant, JobCosts>>> rounds() {
    return rounds;
  }

  /** By rounds, as they are compared. */
  Comparison<RmrVariant, Map<C, JobCosts>> comparison() {
    Comparison<RmrVariant, Map<C, JobCosts>> comparison = new Comparison<>(RATIOS);
    List<Map<RmrVariant, JobCosts>> ofFirst = rounds.values().iterator().next();
    for (int round = 0; round < ofFirst.size(); round++) {
      Map<RmrVariant, Map<C, JobCosts>> costs = new EnumMap<>(RmrVariant.class);
      for (RmrVariant variant : ofFirst.get(round).keySet()) {
        Map<C, JobCosts> ofVariant = new LinkedHashMap<>();
        for (Map.Entry<C, List<Map<RmrVariant, JobCosts>>> each : rounds.entrySet()) {
          ofVariant.put(each.getKey(), each.getValue().get(round).get(variant));
        }
        costs.put(variant, ofVariant);
      }
      comparison.add(costs);
    }
    return comparison;
  }

  /** A figure of one case. */
  static <C> Figure<Map<C, JobCosts>> figure(
      C measured, String title, ToDoubleFunction<JobCosts> value, DoubleFunction<String> show) {
    return new Figure<>(title, costs -> value.applyAsDouble(costs.get(measured)), show);
  }

  /** What a map spends on spills and merges on average, in ms. */
  static double meanSpillAndMergeMs(JobCosts costs) {
    return 1.0 * costs.maps().spillAndMergeMs() / costs.eachMap().size();
  }
}
