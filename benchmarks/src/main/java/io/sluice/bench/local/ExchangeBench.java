package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.local.ChainBench.ChainJobs.JobTime;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where pull, push and hybrid exchange cross over in the engine: the same records, made by maps and
 * looked at by reduces, through few and through many tasks. All modes run in turn in one process,
 * whose program compares what the reduces have seen.
 *
 * <p>Not thread-safe. A failed job or reduces that see other records are a {@link
 * ClusterException}.
 *
 * @param workspace has the jars
 * @param console says what runs
 * @param sizeBytes of each shape
 * @param shapes in their order
 */
public record ExchangeBench(
    Workspace workspace, Console console, long sizeBytes, List<ExchangeShape> shapes) {
  static final List<Ratio<Mode>> RATIOS =
      Ratio.against(Mode.PULL, Mode.PUSH, Mode.HYBRID, Mode.AUTO);

  private static final Pattern CHOSEN = Pattern.compile("reduces, exchange ([A-Z]+)");
  private static final Figure<JobTime> WALL = Figure.fineSeconds("wall", JobTime::wallMs);
  private static final Figure<JobTime> CPU = Figure.fineSeconds("CPU", JobTime::cpuMs);

  private static final String NOTE =
      "Maps × reduces. Runs are all those that reduces merge if each map writes one for each of them, with their mean length."
          + " Records have 100 bytes. Maps make them and reduces look at them, so input and output cost little, and are the same in all modes."
          + " Keys are all different, or 100,000 as frequent as Zipf's law says (exponent 1)."
          + " Jobs of all modes run in turn in one process, after a round that is not counted; ratios are taken within a round.";

  /** How records get from maps to reduces, as the engine's setting calls it. */
  enum Mode implements Variant {
    PULL,
    PUSH,
    HYBRID,
    /** The engine chooses one of the others. */
    AUTO;

    @Override
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How frequent the keys of a job are. */
  private enum Keys {
    /** All as frequent, and hardly any twice. */
    UNIFORM("uniform", 0),
    /** As Zipf's law says of 100,000. */
    ZIPF("Zipf", 1);

    private final String title;
    private final double exponent;

    Keys(String title, double exponent) {
      this.title = title;
      this.exponent = exponent;
    }
  }

  /**
   * The rounds of one shape.
   *
   * @param chosen the mode that auto chose
   */
  private record Cell(
      ExchangeShape shape, Keys keys, Mode chosen, Comparison<Mode, JobTime> comparison) {
    private String title() {
      return shape + ", " + keys.title;
    }

    private Map<String, Object> data() {
      Map<String, Object> data = new LinkedHashMap<>();
      data.put("maps", shape.maps());
      data.put("reduces", shape.reduces());
      data.put("keys", keys);
      data.put("chosenByAuto", chosen);
      data.put("rounds", comparison.rounds());
      return data;
    }

    /** The mode with the least median, auto aside. */
    private Mode least(Figure<JobTime> figure) {
      return Stream.of(Mode.PULL, Mode.PUSH, Mode.HYBRID)
          .min(Comparator.comparing(mode -> comparison.values(figure, mode).median()))
          .orElseThrow();
    }
  }

  /** Runs a round that is not counted, and then so many, of each shape. */
  public void run(int rounds, ResultFiles results) {
    List<Cell> cells = new ArrayList<>();
    try (LocalPlace place = LocalPlace.open(workspace)) {
      String log4j = workspace.fragments().resolve("local/log4j.properties").toUri().toString();
      LocalJobClient client =
          place.client("client", List.of("-Xmx2g", "-Dlog4j.configuration=" + log4j));
      List<Runnable> steps = new ArrayList<>();
      for (ExchangeShape shape : shapes) {
        for (Keys keys : Keys.values()) {
          String step = "%s, %s keys, %s".formatted(shape, keys.title, Size.show(sizeBytes));
          steps.add(
              () ->
                  cells.add(console.step(step, () -> measure(place, client, shape, keys, rounds))));
        }
      }
      Bench.of(
              "bench-exchange",
              "Pull, push and hybrid exchange of %s in the engine, Hadoop %s",
              Size.show(sizeBytes),
              place.hadoop().version())
          .rounds(rounds)
          .data("sizeBytes", sizeBytes)
          .dataOf("cells", () -> cells.stream().map(Cell::data).toList())
          .table("Time of the job:", () -> table(cells, WALL))
          .table("Processor time of the process meanwhile:", () -> table(cells, CPU))
          .notes(NOTE)
          .plot("", title -> plot(title, cells, WALL))
          .plot("-cpu", title -> plot(title, cells, CPU))
          .run(steps.stream(), console, results);
    }
  }

  private Cell measure(
      LocalPlace place, LocalJobClient client, ExchangeShape shape, Keys keys, int rounds) {
    client.run(
        place.workloads(),
        List.of(
            "shuffle",
            "-Dmapreduce.framework.name=sluice",
            "-Dsluice.local.isolation=none", // or nothing is pushed
            "-Dworkloads.shuffle.setting=sluice.local.exchange",
            "-Dworkloads.shuffle.values="
                + Stream.of(Mode.values()).map(Mode::title).collect(Collectors.joining(",")),
            "-Dworkloads.records.zipf=" + keys.exponent,
            place.temporary(),
            Long.toString(sizeBytes / ChainBench.RECORD_BYTES),
            Integer.toString(shape.maps()),
            Integer.toString(shape.reduces()),
            Integer.toString(rounds),
            place.path("times").toString()));
    return new Cell(shape, keys, chosen(client), rounds(JobTime.read(place.path("times"))));
  }

  /** All but the first round, which warms up. */
  static Comparison<Mode, JobTime> rounds(List<JobTime> jobs) {
    int modes = Mode.values().length;
    Comparison<Mode, JobTime> comparison = new Comparison<>(RATIOS);
    for (int first = modes; first < jobs.size(); first += modes) {
      Map<Mode, JobTime> round = new EnumMap<>(Mode.class);
      for (Mode mode : Mode.values()) {
        JobTime job = jobs.get(first + mode.ordinal());
        if (!job.job().endsWith(" " + mode.title())) {
          throw new ClusterException(job + " where " + mode + " is expected");
        }
        round.put(mode, job);
      }
      comparison.add(round);
    }
    return comparison;
  }

  /** The last job's mode: auto is the last of each round. */
  private static Mode chosen(LocalJobClient client) {
    try {
      Matcher said = CHOSEN.matcher(Files.readString(client.log()));
      String last = null;
      while (said.find()) {
        last = said.group(1);
      }
      if (last == null) {
        throw new ClusterException("the engine has not said which exchange it takes");
      }
      return Mode.valueOf(last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TextTable table(List<Cell> cells, Figure<JobTime> figure) {
    List<String> header = new ArrayList<>(List.of("maps x reduces, keys", "runs", "mean run"));
    header.addAll(cells.get(0).comparison().columns());
    header.addAll(List.of("auto took", "least"));
    TextTable table = new TextTable(header);
    for (Cell cell : cells) {
      List<String> row = new ArrayList<>();
      row.add(cell.title());
      row.add(Long.toString(cell.shape().runs()));
      row.add("%.0f KB".formatted(sizeBytes / 1e3 / cell.shape().runs()));
      row.addAll(cell.comparison().cells(figure));
      row.add(cell.chosen().title());
      row.add(cell.least(figure).title());
      table.add(row);
    }
    return table;
  }

  private static CostPlot plot(String title, List<Cell> cells, Figure<JobTime> figure) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    RATIOS.forEach(
        ratio ->
            bars.put(
                ratio.of().title(),
                cells.stream().map(cell -> cell.comparison().bar(figure, ratio)).toList()));
    return new CostPlot(
        title,
        figure.title() + ", in per cent of pull",
        cells.stream().map(Cell::title).toList(),
        bars);
  }

  /**
   * How many tasks a job has.
   *
   * @param maps at least one
   * @param reduces at least one
   */
  public record ExchangeShape(int maps, int reduces) {
    private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,6})x([1-9]\\d{0,6})");

    /** Reads what {@link #toString} writes, such as 64x8. */
    public static ExchangeShape parse(String text) {
      Matcher shape = TEXT.matcher(text);
      if (!shape.matches()) {
        throw new IllegalArgumentException(
            "a shape is a number of maps and one of reduces, such as 64x8; found \"" + text + "\"");
      }
      return new ExchangeShape(Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)));
    }

    /** Runs that reduces merge, if each map puts out one for each. */
    long runs() {
      return (long) maps * reduces;
    }

    @Override
    public String toString() {
      return maps + "x" + reduces;
    }
  }
}
