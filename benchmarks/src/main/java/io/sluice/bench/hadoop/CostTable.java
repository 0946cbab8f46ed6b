package io.sluice.bench.hadoop;

import io.sluice.bench.CostPlot;
import io.sluice.it.job.JobCosts;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What each variant of a job cost, side by side. */
public final class CostTable {
  private CostTable() {}

  /** One column per variant, in the map's order; one row per figure. */
  public static TextTable of(String job, Map<String, JobCosts> byVariant) {
    List<String> header = new ArrayList<>(List.of(job));
    header.addAll(byVariant.keySet());
    TextTable table = new TextTable(header);
    for (JobFigure figure : JobFigure.values()) {
      if (figure != JobFigure.LOCAL && !JobFigure.OF_THE_HOST.contains(figure)) {
        add(table, figure.title(), byVariant, figure::show);
      }
    }
    add(table, "transport", byVariant, costs -> costs.path().transport());
    add(table, "tier", byVariant, costs -> costs.path().tier());
    add(table, "fallbacks", byVariant, CostTable::fallbacks);
    return table;
  }

  /** The costs of one run of each variant in per cent of the map's first one. */
  static CostPlot plot(String title, Map<String, JobCosts> byVariant) {
    JobCosts first = byVariant.values().iterator().next();
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    byVariant.forEach(
        (variant, costs) ->
            bars.put(
                variant,
                JobFigure.PLOTTED.stream()
                    .map(figure -> new CostPlot.Bar(percent(figure, costs, first), 0))
                    .toList()));
    return new CostPlot(
        title,
        JobFigure.PLOTTED_UNIT,
        JobFigure.PLOTTED.stream().map(JobFigure::title).toList(),
        bars);
  }

  private static double percent(JobFigure figure, JobCosts costs, JobCosts first) {
    long base = figure.of(first);
    return base == 0 ? 0 : 100.0 * figure.of(costs) / base;
  }

  private static String fallbacks(JobCosts costs) {
    return costs.path().fallbacks().isEmpty()
        ? "none"
        : costs.path().fallbacks().toString().replaceAll("[{}]", "");
  }

  private static void add(
      TextTable table,
      String title,
      Map<String, JobCosts> byVariant,
      Function<JobCosts, String> cell) {
    List<String> row = new ArrayList<>(List.of(title));
    byVariant.values().forEach(costs -> row.add(cell.apply(costs)));
    table.add(row);
  }
}
