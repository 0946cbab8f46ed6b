package io.sluice.bench.codecs;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/** What the merges have taken so far. Not thread-safe. */
final class CodecsResults {
  private static final DoubleFunction<String> SECONDS = ms -> "%.2f s".formatted(ms / 1e3);
  private static final Ratio<MergeVariant> OF_DEFAULTS =
      new Ratio<>(MergeVariant.SLUICE, MergeVariant.STOCK_10);
  private static final Ratio<MergeVariant> OF_TUNED =
      new Ratio<>(MergeVariant.SLUICE, MergeVariant.STOCK_100);

  private final long records;
  private final List<BenchCodec> codecs;
  private final Map<BenchCodec, String> missing;
  private final String fileSystem;
  private final Map<Integer, Comparison<MergeVariant, Map<BenchCodec, MergeCost>>> byMaps =
      new TreeMap<>();

  /**
   * Of nothing yet.
   *
   * @param missing codecs that are left out, each with the reason
   * @param fileSystem on which files lie
   */
  CodecsResults(
      long records, List<BenchCodec> codecs, Map<BenchCodec, String> missing, String fileSystem) {
    this.records = records;
    this.codecs = codecs;
    this.missing = missing;
    this.fileSystem = fileSystem;
  }

  /** Adds a round of the merges of so many runs. */
  void add(int maps, Map<MergeVariant, Map<BenchCodec, MergeCost>> round) {
    byMaps
        .computeIfAbsent(maps, key -> new Comparison<>(List.of(OF_DEFAULTS, OF_TUNED)))
        .add(round);
  }

  /** All that is written of it. */
  ResultPage page() {
    int rounds = byMaps.values().iterator().next().rounds().size();
    Map<String, TextTable> tables = new LinkedHashMap<>();
    byMaps.forEach(
        (maps, comparison) ->
            tables.put("The merge of %,d runs:".formatted(maps), comparison.table(figures())));
    tables.put("The runs, and records written by merges before the last:", runsTable());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("records", records);
    data.put("rounds", rounds);
    data.put("fileSystem", fileSystem);
    data.put("leftOut", missing);
    Map<Integer, Object> measured = new TreeMap<>();
    byMaps.forEach((maps, comparison) -> measured.put(maps, comparison.rounds()));
    data.put("maps", measured);
    String title =
        "The merge of a reduce: %,d records in runs of many maps, by codec, rounds: %d"
            .formatted(records, rounds);
    return new ResultPage(
        "bench-codecs", title, Machine.here(), data, tables, notes(), Map.of("", plot()));
  }

  private List<Figure<Map<BenchCodec, MergeCost>>> figures() {
    List<Figure<Map<BenchCodec, MergeCost>>> figures = new ArrayList<>();
    codecs.forEach(codec -> figures.add(figure(codec, "time", MergeCost::wallMs)));
    codecs.forEach(codec -> figures.add(figure(codec, "CPU", MergeCost::cpuMs)));
    return figures;
  }

  private static Figure<Map<BenchCodec, MergeCost>> figure(
      BenchCodec codec, String what, ToDoubleFunction<MergeCost> value) {
    return new Figure<>(
        codec.title() + ", " + what, costs -> value.applyAsDouble(costs.get(codec)), SECONDS);
  }

  private TextTable runsTable() {
    TextTable table =
        new TextTable(
            List.of(
                "",
                "raw",
                "stock's, a stream each",
                "Sluice's",
                "in",
                "written again by stock, factor 10",
                "by stock, factor 100",
                "by Sluice"));
    byMaps.forEach(
        (maps, comparison) -> {
          Map<MergeVariant, Map<BenchCodec, MergeCost>> first = comparison.rounds().get(0);
          for (BenchCodec codec : codecs) {
            MergeCost defaults = first.get(MergeVariant.STOCK_10).get(codec);
            MergeCost tuned = first.get(MergeVariant.STOCK_100).get(codec);
            MergeCost sluice = first.get(MergeVariant.SLUICE).get(codec);
            table.add(
                List.of(
                    "%,d runs, %s".formatted(maps, codec.title()),
                    megabytes(sluice.rawBytes()),
                    megabytes(defaults.storedBytes()),
                    megabytes(sluice.storedBytes()),
                    form(codec, sluice.chunkBytes()),
                    rewritten(defaults),
                    rewritten(tuned),
                    rewritten(sluice)));
          }
        });
    return table;
  }

  private static String megabytes(long bytes) {
    return "%.1f MB".formatted(bytes / 1e6);
  }

  private static String form(BenchCodec codec, int chunkBytes) {
    if (codec == BenchCodec.NONE) {
      return "plain records";
    }
    return chunkBytes == 0 ? "a stream each" : "chunks of %d KiB".formatted(chunkBytes >> 10);
  }

  /** How often the mean record was written. */
  private String rewritten(MergeCost cost) {
    return "%.2f times".formatted((double) cost.rewrittenRecords() / records);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "Records have a key of %d hex digits, none twice, and a value of %d letters in words; every run is sorted. All merges put out the same records in the same order, by a checksum that is part of the time."
            .formatted(SortedRuns.KEY_LETTERS, SortedRuns.VALUE_LETTERS));
    notes.add(
        "Sluice's ReduceMerge reads the runs from memory, where they lie as a map of this many stores them; stock's Merger reads each from a file (%s). That is in Sluice's favour: it opens no files. What merges before the last one have made is written to files there by both. Both verify checksums of what they read."
            .formatted(fileSystem));
    notes.add(
        "Each merge has a process of its own (%s), in which %d merges before it are not counted. CPU is that of the whole process during the merge."
            .formatted(String.join(" ", MergeProcesses.JVM_OPTIONS), MergeProgram.WARM_UPS));
    missing.forEach((codec, why) -> notes.add(codec.title() + " is left out: " + why));
    return notes;
  }

  /** Sluice's time by codec and number of runs, of stock's with either factor. */
  private Plot plot() {
    List<String> categories = new ArrayList<>();
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    byMaps.forEach(
        (maps, comparison) -> {
          for (BenchCodec codec : codecs) {
            categories.add("%,d, %s".formatted(maps, codec.title()));
            for (Ratio<MergeVariant> ratio : List.of(OF_DEFAULTS, OF_TUNED)) {
              bars.computeIfAbsent("of " + ratio.base().title(), key -> new ArrayList<>())
                  .add(comparison.bar(figure(codec, "time", MergeCost::wallMs), ratio));
            }
          }
        });
    return new CostPlot(
        "The merge of %,d records, by number of runs and codec".formatted(records),
        "Sluice's time, in per cent of stock's",
        categories,
        bars);
  }
}
