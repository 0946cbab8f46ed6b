package io.sluice.bench.local;

import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The page of exchanges: a table of seconds and one of processor seconds, and a plot of each.
 *
 * <p>Not thread-safe.
 */
final class ExchangeResults {
  private static final Figure<JobTime> WALL =
      new Figure<>("wall", JobTime::wallMs, ExchangeResults::seconds);
  private static final Figure<JobTime> CPU =
      new Figure<>("CPU", JobTime::cpuMs, ExchangeResults::seconds);

  private final List<ExchangeCell> cells = new ArrayList<>();
  private final HadoopDistribution hadoop;
  private final long sizeBytes;
  private final int rounds;

  ExchangeResults(HadoopDistribution hadoop, long sizeBytes, int rounds) {
    this.hadoop = hadoop;
    this.sizeBytes = sizeBytes;
    this.rounds = rounds;
  }

  void add(ExchangeCell cell) {
    cells.add(cell);
  }

  private static String seconds(double ms) {
    return "%.2f s".formatted(ms / 1e3);
  }

  ResultPage page() {
    String title =
        "Pull, push and hybrid exchange of %s in the engine, Hadoop %s, rounds: %d"
            .formatted(Size.show(sizeBytes), hadoop.version(), rounds);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("sizeBytes", sizeBytes);
    data.put("cells", cells.stream().map(ExchangeResults::data).toList());
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put("Time of the job:", table(WALL));
    tables.put("Processor time of the process meanwhile:", table(CPU));
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put("", plot(title, WALL));
    plots.put("-cpu", plot(title, CPU));
    return new ResultPage(
        "bench-exchange",
        title,
        Machine.here(),
        data,
        tables,
        List.of(
            "Maps × reduces; runs are those that reduces merge in all if each map puts out one for"
                + " each of them, and their mean length. Records have 100 bytes; maps make them and"
                + " reduces look at them, so input and output cost little, and are the same in all"
                + " modes. Keys are all different, or 100,000 as frequent as Zipf's law says"
                + " (exponent 1). Jobs of all modes run in turn in one process, after a round that"
                + " is not counted; ratios are taken within a round."),
        plots);
  }

  private static Map<String, Object> data(ExchangeCell cell) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("maps", cell.shape().maps());
    data.put("reduces", cell.shape().reduces());
    data.put("keys", cell.keys());
    data.put("chosenByAuto", cell.chosen());
    data.put("rounds", cell.comparison().rounds());
    return data;
  }

  private TextTable table(Figure<JobTime> figure) {
    List<String> header = new ArrayList<>(List.of("maps x reduces, keys", "runs", "mean run"));
    Stream.of(ExchangeMode.values()).forEach(mode -> header.add(mode.title()));
    ExchangeRun.RATIOS.forEach(
        ratio -> header.add(ratio.of().title() + " / " + ratio.base().title()));
    header.addAll(List.of("auto took", "least"));
    TextTable table = new TextTable(header);
    for (ExchangeCell cell : cells) {
      List<String> row = new ArrayList<>();
      row.add(cell.title());
      row.add(Long.toString(cell.shape().runs()));
      row.add("%.0f KB".formatted(sizeBytes / 1e3 / cell.shape().runs()));
      for (ExchangeMode mode : ExchangeMode.values()) {
        row.add(cell.comparison().values(figure, mode).show(figure.show()));
      }
      ExchangeRun.RATIOS.forEach(
          ratio -> row.add(cell.comparison().ratios(figure, ratio).show("%.2f"::formatted)));
      row.add(cell.chosen().title());
      row.add(least(cell, figure).title());
      table.add(row);
    }
    return table;
  }

  /** The mode with the least median, auto aside. */
  private static ExchangeMode least(ExchangeCell cell, Figure<JobTime> figure) {
    return Stream.of(ExchangeMode.PULL, ExchangeMode.PUSH, ExchangeMode.HYBRID)
        .min(Comparator.comparing(mode -> cell.comparison().values(figure, mode).median()))
        .orElseThrow();
  }

  private CostPlot plot(String title, Figure<JobTime> figure) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    ExchangeRun.RATIOS.forEach(
        ratio ->
            bars.put(
                ratio.of().title(),
                cells.stream().map(cell -> cell.comparison().bar(figure, ratio)).toList()));
    return new CostPlot(
        title,
        figure.title() + ", in per cent of pull",
        cells.stream().map(ExchangeCell::title).toList(),
        bars);
  }
}
