package io.sluice.rdma.transport.faulty;

import java.util.EnumMap;
import java.util.Map;

/**
 * How often what goes wrong: a value, made by {@link #seeded} and the methods that add to it.
 * {@link #toString} is the Java expression that makes it again.
 *
 * <p>With the same plan and reads issued in the same order, the same reads fail.
 *
 * @param seed of the random choices
 * @param rates share of reads, 0 to 1, by fault; the sum is at most 1
 * @param maxDelayMs upper bound of {@link FaultKind#DELAY}
 * @param failRegistrationAt which registration fails, counted from 1; 0 for none
 */
public record FaultPlan(
    long seed, Map<FaultKind, Double> rates, long maxDelayMs, int failRegistrationAt) {
  public FaultPlan {
    rates = Map.copyOf(rates);
    double sum = rates.values().stream().mapToDouble(Double::doubleValue).sum();
    if (sum > 1) {
      throw new IllegalArgumentException("fault rates add up to " + sum + ", more than 1");
    }
  }

  /** A plan in which nothing fails. */
  public static FaultPlan seeded(long seed) {
    return new FaultPlan(seed, Map.of(), 20, 0);
  }

  /** This plan with one rate set. */
  public FaultPlan with(FaultKind kind, double rate) {
    Map<FaultKind, Double> changed = new EnumMap<>(FaultKind.class);
    changed.putAll(rates);
    changed.put(kind, rate);
    return new FaultPlan(seed, changed, maxDelayMs, failRegistrationAt);
  }

  /** This plan with another bound on delays. */
  public FaultPlan withMaxDelayMs(long delayMs) {
    return new FaultPlan(seed, rates, delayMs, failRegistrationAt);
  }

  /** This plan with the n-th registration failing. */
  public FaultPlan withFailedRegistration(int n) {
    return new FaultPlan(seed, rates, maxDelayMs, n);
  }

  @Override
  public String toString() {
    StringBuilder expression = new StringBuilder("FaultPlan.seeded(" + seed + "L)");
    for (FaultKind kind : FaultKind.values()) {
      if (rates.containsKey(kind)) {
        expression.append(".with(FaultKind." + kind + ", " + rates.get(kind) + ")");
      }
    }
    expression.append(".withMaxDelayMs(" + maxDelayMs + ")");
    if (failRegistrationAt > 0) {
      expression.append(".withFailedRegistration(" + failRegistrationAt + ")");
    }
    return expression.toString();
  }
}
