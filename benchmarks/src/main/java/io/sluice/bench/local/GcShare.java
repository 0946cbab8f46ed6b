package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Variant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How much of a process's processor time its garbage collector took, as a plot. */
final class GcShare {
  private GcShare() {}

  /**
   * Of all variants.
   *
   * @param jobs the shares of the processes of a round, each with the name of what it ran
   */
  static <V extends Enum<V> & Variant, R> CostPlot plot(
      String title, Comparison<V, R> comparison, List<Figure<R>> jobs) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (V variant : comparison.variants()) {
      bars.put(
          variant.title(), jobs.stream().map(share -> comparison.bar(share, variant)).toList());
    }
    return new CostPlot(
        title,
        "garbage collection, in per cent of the process's CPU (target: 2 at most)",
        jobs.stream().map(Figure::title).toList(),
        bars);
  }
}
