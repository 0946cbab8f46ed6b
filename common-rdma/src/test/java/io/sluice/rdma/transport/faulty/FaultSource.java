package io.sluice.rdma.transport.faulty;

import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Draws faults as a plan says, and counts them. Thread contract: safe from any thread. */
final class FaultSource {
  private final FaultPlan plan;
  private final Random random;
  private final Map<FaultKind, Integer> injected = new EnumMap<>(FaultKind.class);
  private int registrations;

  FaultSource(FaultPlan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
  }

  synchronized Optional<FaultKind> draw() {
    double point = random.nextDouble();
    for (FaultKind kind : FaultKind.values()) {
      point -= plan.rates().getOrDefault(kind, 0.0);
      if (point < 0) {
        injected.merge(kind, 1, Integer::sum);
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  synchronized int below(int bound) {
    return random.nextInt(bound);
  }

  /** At least 1, and less than {@code timeoutMs}. */
  synchronized long delayMs(long timeoutMs) {
    long bound = Math.max(1, Math.min(plan.maxDelayMs(), timeoutMs - 1));
    return 1 + (long) (random.nextDouble() * (bound - 1));
  }

  synchronized void countRegistration() throws RegistrationException {
    registrations++;
    if (registrations == plan.failRegistrationAt()) {
      throw new RegistrationException(
          "injected failure of registration " + registrations + ": " + plan);
    }
  }

  synchronized Map<FaultKind, Integer> injected() {
    return Map.copyOf(injected);
  }
}
