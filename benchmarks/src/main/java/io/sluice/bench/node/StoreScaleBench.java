package io.sluice.bench.node;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.Scale;
import io.sluice.bench.node.FilledStore.StoreOperation;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The time of the store's calls, by the number of outputs and of open leases. All of it is in one
 * process and one thread: nearly all of a call's time is under the lock. A commit reads the index
 * before it takes the lock.
 *
 * <p>Not thread-safe.
 *
 * @param console says what runs
 * @param place for pools, in memory, each removed after its use
 * @param outputs how many there are, one number after the other
 * @param leases how many are open, likewise
 */
public record StoreScaleBench(
    Console console, Path place, List<Integer> outputs, List<Integer> leases) {
  private static final int FEW_OUTPUTS = 100; // where leases are counted
  private static final int FEW_LEASES = 10; // where outputs are
  private static final List<Figure<Map<StoreOperation, Double>>> FIGURES =
      Stream.of(StoreOperation.values()).map(StoreScaleBench::figure).toList();

  private static Figure<Map<StoreOperation, Double>> figure(StoreOperation operation) {
    return new Figure<>(operation.title(), tookUs -> tookUs.get(operation), "%.1f"::formatted);
  }

  /** Runs a round of the smallest numbers that is not counted, and then so many. */
  public void run(int rounds, ResultFiles files) {
    Scale<Map<StoreOperation, Double>> byOutputs =
        new Scale<>(outputs, "%,d outputs", count -> measure(count, FEW_LEASES));
    Scale<Map<StoreOperation, Double>> byLeases =
        new Scale<>(leases, "%,d leases", count -> measure(FEW_OUTPUTS, count));
    byOutputs.warmUp(console);
    byLeases.warmUp(console);
    Bench.of("bench-store-scale", "What the store's calls take as it fills")
        .roundCount()
        .data("outputs", byOutputs.measured())
        .data("leases", byLeases.measured())
        .table(
            "By outputs, with %d open leases, in µs:".formatted(FEW_LEASES),
            () -> byOutputs.table("outputs", FIGURES))
        .table(
            "By open leases, with %d outputs, in µs:".formatted(FEW_OUTPUTS),
            () -> byLeases.table("leases", FIGURES))
        .notes(
            "Each figure is the middle of %d calls by one thread; of several rounds, the middle, with the smallest and largest. Outputs have one run of 100 bytes in a block of %d KiB and are all of one application; segments have %,d blocks. A commit reads the index under no lock."
                .formatted(
                    FilledStore.CALLS,
                    FilledStore.BLOCK_BYTES >> 10,
                    FilledStore.SEGMENT_BYTES / FilledStore.BLOCK_BYTES))
        .plot("-outputs", title -> plot("outputs", byOutputs))
        .plot("-leases", title -> plot("open leases", byLeases))
        .run(
            rounds,
            round -> {
              byOutputs.round(console);
              byLeases.round(console);
            },
            console,
            files);
  }

  private Map<StoreOperation, Double> measure(int outputCount, int leaseCount) {
    try (FilledStore store = FilledStore.open(place, outputCount, leaseCount)) {
      return store.measure();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "%,d outputs, %,d leases".formatted(outputCount, leaseCount), e);
    }
  }

  private static LinePlot plot(String across, Scale<Map<StoreOperation, Double>> scale) {
    return new LinePlot("What a call of the store takes", across, "µs", scale.lines(FIGURES), true);
  }
}
