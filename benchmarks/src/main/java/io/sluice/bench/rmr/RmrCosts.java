package io.sluice.bench.rmr;

import io.sluice.bench.Comparison;
import io.sluice.bench.Ratio;
import io.sluice.it.job.JobCosts;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The costs of all programs so far: programs come one after the other, each with all its rounds.
 *
 * <p>Not thread-safe.
 *
 * @param <C> a program, or a program on an input of some size
 */
final class RmrCosts<C> {
  private final Map<C, List<Map<RmrVariant, JobCosts>>> rounds = new LinkedHashMap<>();
  private final Comparison<RmrVariant, Map<C, JobCosts>> comparison =
      new Comparison<>(
          List.of(
              new Ratio<>(RmrVariant.SLUICE, RmrVariant.STOCK),
              new Ratio<>(RmrVariant.SLUICE, RmrVariant.TUNED),
              new Ratio<>(RmrVariant.ARCHIVE, RmrVariant.STOCK),
              new Ratio<>(RmrVariant.NVRAM, RmrVariant.STOCK)));

  /** Adds the rounds of a case; all have as many, of the same variants. */
  void add(C measured, List<Map<RmrVariant, JobCosts>> costs) {
    if (rounds.isEmpty()) {
      for (Map<RmrVariant, JobCosts> round : costs) {
        Map<RmrVariant, Map<C, JobCosts>> cases = new EnumMap<>(RmrVariant.class);
        round.keySet().forEach(variant -> cases.put(variant, new LinkedHashMap<>()));
        comparison.add(cases);
      }
    }
    rounds.put(measured, List.copyOf(costs));
    for (int round = 0; round < costs.size(); round++) {
      Map<RmrVariant, JobCosts> ofRound = costs.get(round);
      comparison
          .rounds()
          .get(round)
          .forEach((variant, cases) -> cases.put(measured, ofRound.get(variant)));
    }
  }

  /** The cases, in the order in which they were measured. */
  List<C> cases() {
    return List.copyOf(rounds.keySet());
  }

  /** All costs, by case. */
  Map<C, List<Map<RmrVariant, JobCosts>>> rounds() {
    return rounds;
  }

  /** All costs, by rounds. */
  Comparison<RmrVariant, Map<C, JobCosts>> comparison() {
    return comparison;
  }

  /** The mean time that a map spends on spills and merges, in ms. */
  static double meanSpillAndMergeMs(JobCosts costs) {
    return 1.0 * costs.maps().spillAndMergeMs() / costs.eachMap().size();
  }
}
