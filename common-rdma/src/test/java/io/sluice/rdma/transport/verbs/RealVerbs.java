package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The provider over libibverbs and an RDMA device of this machine. */
final class RealVerbs {
  private static final Set<String> PRINTED_REASONS = ConcurrentHashMap.newKeySet();

  private RealVerbs() {}

  /** Skips the test where there is no device; says so once, because surefire gives no reason. */
  static VerbsProvider orSkip(Class<?> test) {
    VerbsProvider provider = new VerbsProvider();
    Optional<String> cause = provider.unavailabilityCause();
    if (cause.isPresent()) {
      String reason = test.getSimpleName() + " skipped: " + cause.get();
      if (PRINTED_REASONS.add(reason)) {
        System.out.println(reason);
      }
      assumeTrue(false, reason);
    }
    return provider;
  }
}
