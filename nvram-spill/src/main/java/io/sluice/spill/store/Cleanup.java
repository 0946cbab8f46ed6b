package io.sluice.spill.store;

import java.io.IOException;

/**
 * Does every step of a clean-up, whatever fails before it, and tells what failed at the end.
 *
 * <p>Thread contract: one thread. Failure: {@link #finish} throws the first one, with the others
 * suppressed in it; an {@link Error}, such as a fault in mapped memory, ends no step but its own
 * either.
 */
final class Cleanup {
  private Throwable failure;

  /** One step. */
  interface Step {
    void run() throws IOException;
  }

  void run(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      if (failure == null) {
        failure = e;
      } else if (failure != e) { // the JVM has some errors once only
        failure.addSuppressed(e);
      }
    }
  }

  /**
   * Throws what failed first, if anything did.
   *
   * @throws Error the very error
   * @throws IOException of any other failure, its cause
   */
  void finish() throws IOException {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw new IOException("not everything could be given back: " + failure, failure);
    }
  }
}
