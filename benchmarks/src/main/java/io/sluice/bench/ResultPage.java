package io.sluice.bench;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The results of a bench, as a page with tables, as JSON and as plots.
 *
 * @param name that of the files
 * @param title what was measured
 * @param machine where
 * @param data what the JSON has besides
 * @param tables by what is said above each, which may be nothing
 * @param notes what is to be known of the figures, a paragraph each
 * @param plots by what their files' names have behind the page's
 */
public record ResultPage(
    String name,
    String title,
    Machine machine,
    Map<String, Object> data,
    Map<String, TextTable> tables,
    List<String> notes,
    Map<String, Plot> plots) {

  /** The text for the console. */
  public String toText() {
    String shown =
        tables.entrySet().stream()
            .map(table -> heading(table.getKey()) + table.getValue().toText())
            .collect(Collectors.joining("\n"));
    return title + "\n" + machine + "\n\n" + shown + paragraphs();
  }

  private String toMarkdown() {
    String shown =
        tables.entrySet().stream()
            .map(table -> heading(table.getKey()) + table.getValue().toMarkdown())
            .collect(Collectors.joining("\n"));
    return title + " on " + machine + "\n\n" + shown + paragraphs();
  }

  private static String heading(String text) {
    return text.isEmpty() ? "" : text + "\n\n";
  }

  private String paragraphs() {
    return notes.stream().map(note -> "\n" + note + "\n").collect(Collectors.joining());
  }

  /** Writes all files, and returns what says where they are. */
  public List<String> write(ResultFiles results) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("schema", StoredPlots.SCHEMA);
    all.put("commit", Workspace.find().commit());
    all.put("title", title);
    all.put("machine", machine);
    all.putAll(data);
    List<StoredPlots.One> stored =
        plots.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(plot -> new StoredPlots.One(plot.getKey(), plot.getValue()))
            .toList();
    all.put("plots", stored);
    List<String> written = new ArrayList<>();
    written.add("results: " + results.json(name, all));
    written.add("table:   " + results.text(name + ".md", toMarkdown()));
    written.addAll(StoredPlots.draw(name, stored, results));
    return written;
  }
}
