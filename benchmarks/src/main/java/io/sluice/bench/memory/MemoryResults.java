package io.sluice.bench.memory;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.bench.memory.MemoryRounds.MemoryVariant;
import io.sluice.bench.memory.NodeMemory.Intermediate;
import io.sluice.bench.memory.NodeMemory.SluiceTuning;
import io.sluice.bench.memory.NodeMemory.StockTuning;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * All measurements of the bench so far: the targets and a table, plots of time and of the device's
 * bytes over memory.
 *
 * <p>Not thread-safe.
 */
final class MemoryResults {
  private static final DoubleFunction<String> SECONDS = "%.1f s"::formatted;

  private final Map<String, Long> bases = new LinkedHashMap<>();
  private final Map<MemoryWorkload, Intermediate> data = new EnumMap<>(MemoryWorkload.class);
  private final List<Map<String, Object>> tried = new ArrayList<>();
  private final List<Map<String, Object>> cells = new ArrayList<>();
  private final List<MemoryRounds> rounds = new ArrayList<>();
  private final Map<MemoryVariant, List<SecondJob.Costs>> besides =
      new EnumMap<>(MemoryVariant.class);
  private final List<String> failures = new ArrayList<>();
  private final String rates;
  private final Bench bench;
  private String limits = "–";

  MemoryResults(HadoopDistribution hadoop, MemoryPlan plan) {
    rates =
        "Device of the shuffle: %s; of the distributed file system: %s"
            .formatted(show(plan.shuffleRate()), show(plan.filesRate()));
    bench =
        Bench.of(
                "bench-memory",
                "Shuffling in little memory: %s, size %s, Hadoop %s",
                plan.workloads().stream()
                    .map(MemoryWorkload::title)
                    .collect(Collectors.joining(", ")),
                Size.show(plan.sizeBytes()),
                hadoop.version())
            .rounds(plan.rounds())
            .data("rates", rates)
            .dataOf("limits", () -> limits)
            .data("baseBytes", bases)
            .data("intermediate", data)
            .data("tried", tried)
            .data("cells", cells)
            .data("besides", besides)
            .data("failures", failures)
            .table(this::bounds, this::table)
            .table("Targets:", () -> new MemoryTargets(rounds, besides).table())
            .notes(() -> failures.stream().map("Not all went well: "::concat).toList())
            .plot("-time", title -> plot(title, "time, s", MemoryCell::wallS))
            .plot(
                "-bytes",
                title ->
                    plot(
                        title,
                        "read from and written to the shuffle's device, MB",
                        cell -> cell.deviceBytes() / 1e6));
  }

  Bench bench() {
    return bench;
  }

  private static String show(Optional<DeviceRate> rate) {
    return rate.map(Object::toString).orElse("as fast as the disk is");
  }

  void unbounded(long bytesPerS) {
    bench.data("diskBytesPerS", bytesPerS);
  }

  void intermediate(MemoryWorkload workload, Intermediate found) {
    data.put(workload, found);
  }

  void base(String limits, MemoryWorkload workload, long bytes) {
    this.limits = limits;
    bases.put(workload.title(), bytes);
  }

  void tried(
      MemoryWorkload workload, NodeMemory memory, Map<StockTuning, Optional<MemoryCell>> all) {
    all.forEach(
        (tuning, cell) -> {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("workload", workload.title());
          row.put("limitBytes", memory.limitBytes());
          row.put("tuning", tuning);
          row.put("cell", cell.orElse(null));
          tried.add(row);
        });
  }

  void begin(
      MemoryWorkload workload,
      double fraction,
      NodeMemory memory,
      Optional<StockTuning> stock,
      SluiceTuning ours) {
    rounds.add(new MemoryRounds(workload, fraction));
    Map<String, Object> cell = new LinkedHashMap<>();
    cell.put("workload", workload.title());
    cell.put("fraction", fraction);
    cell.put("limitBytes", memory.limitBytes());
    cell.put("shuffleBytes", memory.shuffleBytes());
    cell.put("stock", stock.orElse(null));
    cell.put("sluice", ours);
    cell.put("rounds", new ArrayList<Map<MemoryVariant, MemoryCell>>());
    cells.add(cell);
  }

  /** A round of the cell that was begun last. */
  void add(Map<MemoryVariant, MemoryCell> round) {
    rounds.get(rounds.size() - 1).add(round);
    @SuppressWarnings("unchecked")
    List<Map<MemoryVariant, MemoryCell>> all =
        (List<Map<MemoryVariant, MemoryCell>>) cells.get(cells.size() - 1).get("rounds");
    all.add(round);
    round.forEach(
        (variant, cell) -> {
          if (!cell.valid()) {
            failures.add(
                "%s, %s: %d processes were killed for lack of memory"
                    .formatted(
                        cells.get(cells.size() - 1).get("workload"),
                        variant.title(),
                        cell.group().oomKills()));
          }
        });
  }

  /** Adds the costs of a small job alone and beside a large one. */
  void secondJob(MemoryVariant variant, SecondJob.Costs costs) {
    if (costs.valid()) {
      besides.computeIfAbsent(variant, v -> new ArrayList<>()).add(costs);
    } else {
      failures.add(
          "a small job beside a large one, %s: processes were killed for lack of memory"
              .formatted(variant.title()));
    }
  }

  void failed(String step, Exception failure) {
    failures.add(step + ": " + String.valueOf(failure.getMessage()).lines().findFirst().orElse(""));
  }

  private String bounds() {
    String base =
        bases.entrySet().stream()
            .map(each -> "%s %.0f MB".formatted(each.getKey(), each.getValue() / 1e6))
            .collect(Collectors.joining(", "));
    return "Memory of the node bounded by %s: the share of the intermediate data, page cache included, and the needs of the job's processes besides (%s). %s."
        .formatted(limits, base, rates);
  }

  private TextTable table() {
    TextTable table =
        new TextTable(
            List.of(
                "memory / data",
                "who",
                "time",
                "stock / Sluice",
                "CPU",
                "device, read+written",
                "waited for it",
                "waited for memory",
                "rounds"));
    for (MemoryRounds each : rounds) {
      for (MemoryVariant variant : MemoryVariant.values()) {
        table.add(
            List.of(
                "%s, %s".formatted(each.workload().title(), each.fraction()),
                variant.title(),
                show(each.figure(variant, MemoryCell::wallS), SECONDS),
                variant == MemoryVariant.STOCK
                    ? ""
                    : show(
                        each.ratio(MemoryVariant.STOCK, MemoryVariant.SLUICE, MemoryCell::wallS),
                        "%.2f"::formatted),
                show(each.figure(variant, MemoryCell::cpuS), SECONDS),
                show(
                    each.figure(variant, MemoryCell::deviceBytes),
                    bytes -> "%.0f MB".formatted(bytes / 1e6)),
                show(each.figure(variant, MemoryCell::waitedS), SECONDS),
                show(each.figure(variant, MemoryCell::reclaimedS), SECONDS),
                Long.toString(each.count(variant))));
      }
    }
    return table;
  }

  private static String show(Optional<Spread> spread, DoubleFunction<String> format) {
    return spread.map(found -> found.show(format)).orElse("–");
  }

  private LinePlot plot(String title, String unit, ToDoubleFunction<MemoryCell> figure) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (MemoryRounds each : rounds) {
      for (MemoryVariant variant : MemoryVariant.values()) {
        List<LinePlot.Point> line =
            series.computeIfAbsent(
                each.workload().title() + ", " + variant.title(), name -> new ArrayList<>());
        each.figure(variant, figure)
            .ifPresent(spread -> line.add(LinePlot.Point.of(each.fraction(), spread)));
      }
    }
    return new LinePlot(title, "memory as a share of the intermediate data", unit, series);
  }
}
