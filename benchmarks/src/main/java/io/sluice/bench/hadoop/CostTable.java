package io.sluice.bench.hadoop;

import io.sluice.it.job.JobCosts;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What each variant of a job cost, side by side. */
public final class CostTable {
  private CostTable() {}

  /** One column per variant, in the map's order; one row per measure. */
  public static TextTable of(String job, Map<String, JobCosts> byVariant) {
    List<String> header = new ArrayList<>(List.of(job));
    header.addAll(byVariant.keySet());
    TextTable table = new TextTable(header);
    for (JobFigure measure : JobFigure.values()) {
      if (measure != JobFigure.LOCAL) {
        add(table, measure.title(), byVariant, measure::show);
      }
    }
    add(table, "transport", byVariant, costs -> costs.path().transport());
    add(table, "tier", byVariant, costs -> costs.path().tier());
    add(table, "fallbacks", byVariant, CostTable::fallbacks);
    return table;
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
