package io.sluice.bench.memory;

import static java.util.stream.Collectors.joining;

import io.sluice.bench.Spread;
import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.bench.memory.MemoryRounds.MemoryVariant;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What is aimed at, and what the rounds came to: says so, and fails nothing.
 *
 * <p>A value is a median; what was not measured is shown as such.
 */
public final class MemoryTargets {
  private static final double QUARTER = 0.25;
  private static final double HALF = 0.5;
  private static final double AMPLE = 1.0;

  /**
   * One aim.
   *
   * @param what in words
   * @param target the bound
   * @param atLeast whether the value shall be at least that, else at most
   * @param value what was measured, if it was
   * @param beside what else is worth knowing
   */
  record Row(String what, double target, boolean atLeast, OptionalDouble value, String beside) {

    boolean reached() {
      return value.isPresent()
          && (atLeast ? value.getAsDouble() >= target : value.getAsDouble() <= target);
    }
  }

  private final List<MemoryRounds> all;
  private final Map<MemoryVariant, List<SecondJob.Costs>> secondJobs;

  /**
   * Of what there is.
   *
   * @param secondJobs of a small job beside a large one
   */
  MemoryTargets(List<MemoryRounds> all, Map<MemoryVariant, List<SecondJob.Costs>> secondJobs) {
    this.all = List.copyOf(all);
    this.secondJobs = Map.copyOf(secondJobs);
  }

  /** All rows, in the order of the aims. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(faster(MemoryWorkload.PLAIN_WORD_COUNT, HALF, 2.5));
    rows.add(faster(MemoryWorkload.SORT, AMPLE, 2.5));
    rows.add(faster(MemoryWorkload.WORD_COUNT, AMPLE, 2));
    rows.add(
        new Row(
            "bytes of the shuffle's device, Sluice / stock, memory at a quarter",
            0.4,
            false,
            worst(
                shuffling()
                    .map(
                        workload ->
                            find(workload, QUARTER)
                                .flatMap(
                                    rounds ->
                                        rounds.ratio(
                                            MemoryVariant.SLUICE,
                                            MemoryVariant.STOCK,
                                            MemoryCell::deviceBytes))
                                .map(Spread::median))),
            "the worse of WordCount without combiner and Sort"));
    Optional<Spread> ours = secondJobs(MemoryVariant.SLUICE, SecondJob.Costs::slowdown);
    rows.add(
        new Row(
            "time of a small job beside a large one / alone, Sluice, memory at a quarter",
            1.2,
            false,
            ours.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(ours.get().median()),
            besideSecondJobs()));
    rows.add(
        new Row(
            "time of Sluice with memory at a half against ample",
            1.15,
            false,
            degradation(MemoryVariant.SLUICE),
            stocksDegradation()));
    return rows;
  }

  private Optional<Spread> secondJobs(
      MemoryVariant variant, ToDoubleFunction<SecondJob.Costs> figure) {
    List<SecondJob.Costs> all = secondJobs.getOrDefault(variant, List.of());
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(Spread.of(all.stream().map(figure::applyAsDouble).toList()));
  }

  private String besideSecondJobs() {
    String stocks =
        secondJobs(MemoryVariant.STOCK, SecondJob.Costs::slowdown)
            .map(slowdown -> "stock's is " + slowdown.show("%.2f"::formatted))
            .orElse("");
    String cores =
        secondJobs(MemoryVariant.SLUICE, SecondJob.Costs::busyCores)
            .map(busy -> "cores busy: " + busy.show("%.1f"::formatted))
            .orElse("");
    return Stream.of(stocks, cores).filter(part -> !part.isEmpty()).collect(joining("; "));
  }

  /** For people. */
  public TextTable table() {
    TextTable table =
        new TextTable(List.of("target", "aimed at", "measured", "reached", "beside it"));
    for (Row row : rows()) {
      table.add(
          List.of(
              row.what(),
              (row.atLeast() ? "≥ " : "≤ ") + row.target(),
              row.value().isPresent()
                  ? "%.2f".formatted(row.value().getAsDouble())
                  : "not measured",
              row.value().isEmpty() ? "–" : row.reached() ? "yes" : "no",
              row.beside()));
    }
    return table;
  }

  /**
   * In the memory that the paper's figure had: 32 GB for the 34 GB of WordCount without combiner,
   * and 16 GB where it was short (Figure 14); 32 GB for Sort's 20 GB and for what a combiner leaves
   * (Figure 13).
   */
  private Row faster(MemoryWorkload workload, double fraction, double target) {
    String others =
        all.stream()
            .filter(rounds -> rounds.workload() == workload && rounds.fraction() != fraction)
            .flatMap(
                rounds ->
                    speedup(rounds)
                        .map(ratio -> "%.2f at %s".formatted(ratio, rounds.fraction()))
                        .stream())
            .collect(joining(", "));
    return new Row(
        "time of stock tuned / Sluice, %s, memory at %s".formatted(workload.title(), fraction),
        target,
        true,
        find(workload, fraction)
            .flatMap(MemoryTargets::speedup)
            .map(OptionalDouble::of)
            .orElse(OptionalDouble.empty()),
        others);
  }

  private static Optional<Double> speedup(MemoryRounds rounds) {
    return rounds
        .ratio(MemoryVariant.STOCK, MemoryVariant.SLUICE, MemoryCell::wallS)
        .map(Spread::median);
  }

  private OptionalDouble degradation(MemoryVariant variant) {
    return worst(
        shuffling()
            .map(
                workload -> {
                  Optional<Double> half = wallS(workload, HALF, variant);
                  Optional<Double> ample = wallS(workload, AMPLE, variant);
                  return half.isPresent() && ample.isPresent()
                      ? Optional.of(half.get() / ample.get())
                      : Optional.empty();
                }));
  }

  private String stocksDegradation() {
    OptionalDouble stock = degradation(MemoryVariant.STOCK);
    return "the worse of WordCount without combiner and Sort"
        + (stock.isPresent() ? "; stock's is %.2f".formatted(stock.getAsDouble()) : "");
  }

  private Optional<Double> wallS(MemoryWorkload workload, double fraction, MemoryVariant variant) {
    return find(workload, fraction)
        .flatMap(rounds -> rounds.figure(variant, MemoryCell::wallS))
        .map(Spread::median);
  }

  /** The largest, if all were measured: half of a worst case is none. */
  private static OptionalDouble worst(Stream<Optional<Double>> values) {
    List<Optional<Double>> all = values.toList();
    return all.stream().allMatch(Optional::isPresent)
        ? all.stream().flatMap(Optional::stream).mapToDouble(Double::doubleValue).max()
        : OptionalDouble.empty();
  }

  private static Stream<MemoryWorkload> shuffling() {
    return Stream.of(MemoryWorkload.PLAIN_WORD_COUNT, MemoryWorkload.SORT);
  }

  private Optional<MemoryRounds> find(MemoryWorkload workload, double fraction) {
    return all.stream()
        .filter(rounds -> rounds.workload() == workload && rounds.fraction() == fraction)
        .findFirst();
  }
}
