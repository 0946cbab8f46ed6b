package io.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Plot.CostPlot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Figure<Double> SECONDS =
      new Figure<>("wall", seconds -> seconds, seconds -> "%.0f s".formatted(seconds));
  private static final Ratio<Way> RATIO = new Ratio<>(Way.NEW, Way.OLD);

  private enum Way implements Variant {
    OLD,
    NEW,
    NEVER_RUN;

    @Override
    public String title() {
      return name().toLowerCase();
    }
  }

  private static Comparison<Way, Double> of(List<Map<Way, Double>> rounds) {
    Comparison<Way, Double> comparison =
        new Comparison<>(List.of(RATIO, new Ratio<>(Way.NEVER_RUN, Way.OLD)));
    rounds.forEach(comparison::add);
    return comparison;
  }

  /** The second round ran on a machine that was ten times slower. */
  @Test
  void ratiosAreTakenWithinARound() {
    Comparison<Way, Double> comparison =
        of(
            List.of(
                Map.of(Way.OLD, 10.0, Way.NEW, 5.0),
                Map.of(Way.OLD, 100.0, Way.NEW, 60.0),
                Map.of(Way.OLD, 10.0, Way.NEW, 7.0)));
    assertEquals(
        "| median (min–max) | old | new | new / old |\n"
            + "|---|---|---|---|\n"
            + "| wall | 10 s (10 s–100 s) | 7 s (5 s–60 s) | 0.600 (0.500–0.700) |\n",
        comparison.table(List.of(SECONDS)).toMarkdown());
    CostPlot.Bar bar = comparison.bar(SECONDS, RATIO);
    assertEquals(60, bar.percent(), 1e-9);
    assertEquals(10, bar.spreadPercent(), 1e-9);
  }

  @Test
  void whatRanOnBothSidesIsDrawnAndNothingElse() {
    Comparison<Way, Double> both = of(List.of(Map.of(Way.OLD, 10.0, Way.NEW, 5.0)));
    CostPlot plot = both.plot("title", "unit", List.of(SECONDS)).orElseThrow();
    assertEquals(List.of("wall"), plot.categories());
    assertEquals(Map.of("new", List.of(new CostPlot.Bar(50, 0))), plot.series());
    Comparison<Way, Double> alone = of(List.of(Map.of(Way.NEW, 5.0)));
    assertEquals(Optional.empty(), alone.plot("title", "unit", List.of(SECONDS)));
  }

  @Test
  void nothingIsNoShareOfNothing() {
    Comparison<Way, Double> comparison = of(List.of(Map.of(Way.OLD, 0.0, Way.NEW, 5.0)));
    assertTrue(Double.isNaN(comparison.bar(SECONDS, RATIO).percent()));
  }
}
