package io.sluice.rdma.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread or process does and nobody announces. */
public final class Await {
  private static final long LIMIT_MS = 120_000;

  private Await() {}

  /** Returns when the condition holds, fails after a while. */
  public static void until(String what, BooleanSupplier condition) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNs > 0) {
        fail("not within " + LIMIT_MS + " ms: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
