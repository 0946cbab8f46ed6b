package io.sluice.bench.memory;

import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Figure.Spread;
import io.sluice.bench.memory.BoundedNode.MemoryCell;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The rounds of one workload in one memory. A round of which a job failed, or was not valid, has no
 * figure of that variant and none of a ratio.
 *
 * <p>Not thread-safe.
 */
public final class MemoryRounds {
  /** The shuffle that runs in the bounded memory. */
  public enum MemoryVariant implements Variant {
    /** Hadoop's own, on nodes without Sluice's service, with the fastest of some settings. */
    STOCK("stock tuned"),
    SLUICE("Sluice");

    private final String title;

    MemoryVariant(String title) {
      this.title = title;
    }

    @Override
    public String title() {
      return title;
    }
  }

  private final MemoryWorkload workload;
  private final double fraction;
  private final List<Map<MemoryVariant, MemoryCell>> rounds = new ArrayList<>();

  public MemoryRounds(MemoryWorkload workload, double fraction) {
    this.workload = workload;
    this.fraction = fraction;
  }

  public MemoryWorkload workload() {
    return workload;
  }

  /** Memory for the shuffle, as a share of what is shuffled. */
  public double fraction() {
    return fraction;
  }

  public void add(Map<MemoryVariant, MemoryCell> round) {
    Map<MemoryVariant, MemoryCell> valid = new EnumMap<>(MemoryVariant.class);
    round.forEach(
        (variant, cell) -> {
          if (cell.valid()) {
            valid.put(variant, cell);
          }
        });
    rounds.add(valid);
  }

  /** How many rounds have figures of a variant. */
  public long count(MemoryVariant variant) {
    return rounds.stream().filter(round -> round.containsKey(variant)).count();
  }

  /** A figure of a variant over the rounds; nothing if none has it. */
  public Optional<Spread> figure(MemoryVariant variant, ToDoubleFunction<MemoryCell> figure) {
    return spread(
        rounds.stream()
            .filter(round -> round.containsKey(variant))
            .map(round -> figure.applyAsDouble(round.get(variant)))
            .toList());
  }

  /** A figure of a variant as a share of another's of the same round. */
  public Optional<Spread> ratio(
      MemoryVariant of, MemoryVariant base, ToDoubleFunction<MemoryCell> figure) {
    return spread(
        rounds.stream()
            .filter(round -> round.containsKey(of) && round.containsKey(base))
            .map(
                round ->
                    figure.applyAsDouble(round.get(of)) / figure.applyAsDouble(round.get(base)))
            .filter(ratio -> !ratio.isNaN() && !ratio.isInfinite())
            .toList());
  }

  private static Optional<Spread> spread(List<Double> values) {
    return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values));
  }
}
