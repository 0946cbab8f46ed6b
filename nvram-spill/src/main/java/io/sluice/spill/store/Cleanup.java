package io.sluice.spill.store;

import java.io.IOException;

/**
 * Does every step of a clean-up, whatever fails before it, and tells what failed at the end.
 *
 * <p>Thread contract: one thread. Failure: {@link #finish} throws the first one, with the others
 * suppressed in it.
 */
final class Cleanup {
  private Exception failure;

  /** One step. */
  interface Step {
    void run() throws IOException;
  }

  void run(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
  }

  void finish() throws IOException {
    if (failure != null) {
      throw new IOException("not everything could be given back: " + failure, failure);
    }
  }
}
