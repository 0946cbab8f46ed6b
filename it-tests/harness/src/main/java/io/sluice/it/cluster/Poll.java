package io.sluice.it.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits for a state of another process by asking it, never by guessing how long it takes.
 *
 * <p>Failure: {@link ClusterException} at the deadline, naming what was awaited and the last
 * answer.
 */
public final class Poll {
  private static final long PAUSE_MS = 100;

  /** One question: a present answer ends the wait; an {@link IOException} means not yet. */
  @FunctionalInterface
  public interface Probe<T> {
    Optional<T> ask() throws IOException, InterruptedException;
  }

  /** A yes-or-no question; an {@link IOException} means not yet. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private Poll() {}

  /** Asks until there is an answer. Exceptions other than {@link IOException} end the wait. */
  public static <T> T until(String what, Duration deadline, Probe<T> probe) {
    long endNs = System.nanoTime() + deadline.toNanos();
    IOException last = null;
    try {
      do {
        try {
          Optional<T> answer = probe.ask();
          if (answer.isPresent()) {
            return answer.get();
          }
        } catch (IOException e) {
          last = e;
        }
        Thread.sleep(PAUSE_MS);
      } while (System.nanoTime() < endNs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while waiting for " + what, e);
    }
    throw new ClusterException(
        "waited %d s for %s, in vain".formatted(deadline.toSeconds(), what), last);
  }

  /** {@link #until} for a yes-or-no question. */
  public static void untilTrue(String what, Duration deadline, Condition condition) {
    until(what, deadline, () -> condition.holds() ? Optional.of(true) : Optional.empty());
  }
}
