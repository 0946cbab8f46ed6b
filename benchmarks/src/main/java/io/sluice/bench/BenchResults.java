package io.sluice.bench;

import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a bench leaves behind that compares variants alone: every round as JSON, the table, the
 * plot.
 *
 * @param name that of the files
 * @param title what was measured
 * @param machine where
 * @param more what else the JSON has, before the rounds
 * @param rounds what they reported
 * @param table shows them
 * @param plot shows the most of it
 */
public record BenchResults(
    String name,
    String title,
    Machine machine,
    Map<String, Object> more,
    List<? extends Map<?, ?>> rounds,
    TextTable table,
    CostPlot plot) {

  private ResultPage page() {
    Map<String, Object> data = new LinkedHashMap<>(more);
    data.put("rounds", rounds);
    return new ResultPage(
        name, title, machine, data, Map.of("", table), List.of(), Map.of("", plot::draw));
  }

  /** What is said at the end. */
  public String toText() {
    return page().toText();
  }

  /** Writes all files, and returns what says where they are. */
  public List<String> write(ResultFiles results) {
    return page().write(results);
  }
}
