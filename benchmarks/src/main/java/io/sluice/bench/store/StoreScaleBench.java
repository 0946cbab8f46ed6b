package io.sluice.bench.store;

import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.Spread;
import io.sluice.it.report.Console;
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
import java.util.TreeMap;

/**
 * What the store's calls take, by how many outputs and how many open leases there are. All of it is
 * in one process and one thread: nearly all of a call's time is under the lock, but for that of a
 * commit, which reads the index first.
 *
 * <p>Not thread-safe.
 */
public final class StoreScaleBench {
  private static final int FEW_OUTPUTS = 100; // where leases are counted
  private static final int FEW_LEASES = 10; // where outputs are

  private final Console console;
  private final Path place;
  private final List<Integer> outputs;
  private final List<Integer> leases;
  private final Map<Integer, List<Map<StoreOperation, Double>>> byOutputs = new TreeMap<>();
  private final Map<Integer, List<Map<StoreOperation, Double>>> byLeases = new TreeMap<>();

  /**
   * With these numbers of outputs and of leases.
   *
   * @param place for pools, in memory, each removed after its use
   */
  public StoreScaleBench(Console console, Path place, List<Integer> outputs, List<Integer> leases) {
    this.console = console;
    this.place = place;
    this.outputs = outputs;
    this.leases = leases;
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    for (int round = 0; round <= rounds; round++) { // the first does not count
      for (int count : round == 0 ? outputs.subList(0, 1) : outputs) {
        add(round, byOutputs, count, measure(count, FEW_LEASES));
      }
      for (int count : round == 0 ? leases.subList(0, 1) : leases) {
        add(round, byLeases, count, measure(FEW_OUTPUTS, count));
      }
    }
    page(rounds).show(console, files);
  }

  private Map<StoreOperation, Double> measure(int outputCount, int leaseCount) {
    String name = "%,d outputs, %,d leases".formatted(outputCount, leaseCount);
    return console.step(
        name,
        () -> {
          try (FilledStore store = FilledStore.open(place, outputCount, leaseCount)) {
            return store.measure();
          } catch (IOException e) {
            throw new UncheckedIOException(name, e);
          }
        });
  }

  private static void add(
      int round,
      Map<Integer, List<Map<StoreOperation, Double>>> all,
      int count,
      Map<StoreOperation, Double> tookUs) {
    if (round > 0) {
      all.computeIfAbsent(count, key -> new ArrayList<>()).add(tookUs);
    }
  }

  private ResultPage page(int rounds) {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put(
        "By outputs, with %d open leases, in µs:".formatted(FEW_LEASES),
        table("outputs", byOutputs));
    tables.put(
        "By open leases, with %d outputs, in µs:".formatted(FEW_OUTPUTS),
        table("leases", byLeases));
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put("-outputs", plot("outputs", byOutputs));
    plots.put("-leases", plot("open leases", byLeases));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("rounds", rounds);
    data.put("outputs", byOutputs);
    data.put("leases", byLeases);
    return new ResultPage(
        "bench-store-scale",
        "What the store's calls take as it fills, rounds: %d".formatted(rounds),
        Machine.here(),
        data,
        tables,
        List.of(
            "Each figure is the middle of %d calls by one thread; of several rounds, the middle, with the smallest and largest. Outputs have one run of 100 bytes in a block of %d KiB and are all of one application; segments have %,d blocks. A commit reads the index under no lock."
                .formatted(
                    FilledStore.CALLS,
                    FilledStore.BLOCK_BYTES >> 10,
                    FilledStore.SEGMENT_BYTES / FilledStore.BLOCK_BYTES)),
        plots);
  }

  private static TextTable table(String what, Map<Integer, List<Map<StoreOperation, Double>>> all) {
    List<String> head = new ArrayList<>(List.of(what));
    for (StoreOperation operation : StoreOperation.values()) {
      head.add(operation.title());
    }
    TextTable table = new TextTable(head);
    all.forEach(
        (count, rounds) -> {
          List<String> row = new ArrayList<>(List.of("%,d".formatted(count)));
          for (StoreOperation operation : StoreOperation.values()) {
            row.add(spread(rounds, operation).show("%.1f"::formatted));
          }
          table.add(row);
        });
    return table;
  }

  private static Spread spread(List<Map<StoreOperation, Double>> rounds, StoreOperation operation) {
    return Spread.of(rounds.stream().map(tookUs -> tookUs.get(operation)).toList());
  }

  private static Plot plot(String across, Map<Integer, List<Map<StoreOperation, Double>>> all) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (StoreOperation operation : StoreOperation.values()) {
      List<LinePlot.Point> points = new ArrayList<>();
      all.forEach(
          (count, rounds) -> points.add(LinePlot.Point.of(count, spread(rounds, operation))));
      series.put(operation.title(), points);
    }
    return new LinePlot("What a call of the store takes", across, "µs", series, true);
  }
}
