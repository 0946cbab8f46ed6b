package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

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
        .map(plot -> "plot:    " + results.write(name + plot.suffix() + ".png", plot.plot()::draw))
        .toList();
  }
}
