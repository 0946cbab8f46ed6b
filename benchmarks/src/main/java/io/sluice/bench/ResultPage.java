package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The results of a bench, as a page with tables, as JSON and as plots.
 *
 * @param name of the files
 * @param title what was measured
 * @param machine the machine
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

  /**
   * The plots that a result's JSON has.
   *
   * @param schema {@link #SCHEMA}; 0 for what was measured before there was one
   * @param plots null before there was a schema
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record StoredPlots(int schema, List<One> plots) {
    /**
     * How the JSON of a result page is laid out: {@code schema}, {@code commit}, {@code title},
     * {@code machine}, what each bench has besides, {@code plots}.
     */
    static final int SCHEMA = 1;

    private static final String JSON = ".json";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static {
      MAPPER.registerSubtypes(CostPlot.class, LinePlot.class);
    }

    /**
     * One of them.
     *
     * @param suffix what its file's name has behind the result's
     * @param plot what is drawn
     */
    public record One(String suffix, Plot plot) {}

    /** Reads a result; {@link UncheckedIOException} if it is none. */
    public static StoredPlots read(Path json) {
      try {
        return MAPPER.readValue(json.toFile(), StoredPlots.class);
      } catch (IOException e) {
        throw new UncheckedIOException("no result can be read from " + json, e);
      }
    }

    /** Draws the plots of a result beside it, over those of before, and returns what says how. */
    public static List<String> drawAgain(Path json) {
      StoredPlots stored = read(json);
      if (stored.schema != SCHEMA) {
        return List.of(
            "left as it is: %s, whose schema is %d and not %d"
                .formatted(json, stored.schema, SCHEMA));
      }
      String file = json.getFileName().toString();
      return draw(
          file.substring(0, file.length() - JSON.length()),
          stored.plots,
          new ResultFiles(json.toAbsolutePath().getParent()));
    }

    /** Draws plots of a result, and returns what says where they are. */
    static List<String> draw(String name, List<One> plots, ResultFiles results) {
      return plots.stream()
          .map(
              plot -> "plot:    " + results.write(name + plot.suffix() + ".png", plot.plot()::draw))
          .toList();
    }
  }
}
