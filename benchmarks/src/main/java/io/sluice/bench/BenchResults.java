package io.sluice.bench;

import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a bench leaves behind: every round as JSON, the table, the plot.
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

  /** What is said at the end. */
  public String toText() {
    return title + "\n" + machine + "\n\n" + table.toText();
  }

  /** Writes all files, and returns what says where they are. */
  public List<String> write(ResultFiles results) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("title", title);
    all.put("machine", machine);
    all.putAll(more);
    all.put("rounds", rounds);
    return List.of(
        "results: " + results.json(name, all),
        "table:   "
            + results.text(name + ".md", title + " on " + machine + "\n\n" + table.toMarkdown()),
        "plot:    " + results.write(name + ".png", plot::draw));
  }
}
