package io.sluice.bench.memory;

import static java.util.stream.Collectors.joining;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.bench.memory.MemoryRounds.MemoryVariant;
import io.sluice.tools.text.TextTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The targets, and the values of the rounds. A target that is missed fails nothing.
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
   * Looks at what was measured.
   *
   * @param secondJobs of a small job beside a large one
   */
  MemoryTargets(List<MemoryRounds> all, Map<MemoryVariant, List<SecondJob.Costs>> secondJobs) {
    this.all = List.copyOf(all);
    this.secondJobs = Map.copyOf(secondJobs);
  }

  /** All rows, in the order of the aims. */
  List<Row> rows() {
    String worse = "the worse of WordCount without combiner and Sort";
    return List.of(
        faster(MemoryWorkload.PLAIN_WORD_COUNT, HALF, 2.5),
        faster(MemoryWorkload.SORT, AMPLE, 2.5),
        faster(MemoryWorkload.WORD_COUNT, AMPLE, 2),
        new Row(
            "bytes of the shuffle's device, Sluice / stock, memory at a quarter",
            0.4,
            false,
            worst(this::deviceShare),
            worse),
        new Row(
            "time of a small job beside a large one / alone, Sluice, memory at a quarter",
            1.2,
            false,
            secondJobs(MemoryVariant.SLUICE, SecondJob.Costs::slowdown)
                .map(slowdown -> OptionalDouble.of(slowdown.median()))
                .orElse(OptionalDouble.empty()),
            Stream.concat(
                    secondJobs(MemoryVariant.STOCK, SecondJob.Costs::slowdown)
                        .map(slowdown -> "stock's is " + slowdown.show("%.2f"::formatted))
                        .stream(),
                    secondJobs(MemoryVariant.SLUICE, SecondJob.Costs::busyCores)
                        .map(busy -> "cores busy: " + busy.show("%.1f"::formatted))
                        .stream())
                .collect(joining("; "))),
        new Row(
            "time of Sluice with memory at a half against ample",
            1.15,
            false,
            worst(workload -> degradation(workload, MemoryVariant.SLUICE)),
            worst(workload -> degradation(workload, MemoryVariant.STOCK)).stream()
                .mapToObj(stock -> "%s; stock's is %.2f".formatted(worse, stock))
                .findFirst()
                .orElse(worse)));
  }

  private Optional<Spread> secondJobs(
      MemoryVariant variant, ToDoubleFunction<SecondJob.Costs> figure) {
    List<SecondJob.Costs> costs = secondJobs.getOrDefault(variant, List.of());
    return costs.isEmpty()
        ? Optional.empty()
        : Optional.of(Spread.of(costs.stream().map(figure::applyAsDouble).toList()));
  }

  private Optional<Double> deviceShare(MemoryWorkload workload) {
    return find(workload, QUARTER)
        .flatMap(
            rounds ->
                rounds.ratio(MemoryVariant.SLUICE, MemoryVariant.STOCK, MemoryCell::deviceBytes))
        .map(Spread::median);
  }

  private Optional<Double> degradation(MemoryWorkload workload, MemoryVariant variant) {
    return wallS(workload, HALF, variant)
        .flatMap(half -> wallS(workload, AMPLE, variant).map(ample -> half / ample));
  }

  /** The targets as a table. */
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

  private Optional<Double> wallS(MemoryWorkload workload, double fraction, MemoryVariant variant) {
    return find(workload, fraction)
        .flatMap(rounds -> rounds.figure(variant, MemoryCell::wallS))
        .map(Spread::median);
  }

  /** The larger of both, if both were measured: half of a worst case is none. */
  private static OptionalDouble worst(Function<MemoryWorkload, Optional<Double>> value) {
    Optional<Double> count = value.apply(MemoryWorkload.PLAIN_WORD_COUNT);
    Optional<Double> sort = value.apply(MemoryWorkload.SORT);
    return count.isPresent() && sort.isPresent()
        ? OptionalDouble.of(Math.max(count.get(), sort.get()))
        : OptionalDouble.empty();
  }

  private Optional<MemoryRounds> find(MemoryWorkload workload, double fraction) {
    return all.stream()
        .filter(rounds -> rounds.workload() == workload && rounds.fraction() == fraction)
        .findFirst();
  }
}
