package io.sluice.bench.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs by their sizes: every other size, from the first on, is fitted to; the rest is what the
 * model is checked by. With an even number of sizes the largest is beyond all that were fitted to.
 *
 * @param fitted the first, third, fifth ...
 * @param checked the second, fourth ...
 */
record HeldOut<T>(List<T> fitted, List<T> checked) {
  /** Two for a line, one to check it. */
  static final int LEAST_SIZES = 3;

  /**
   * Of one or more runs of each size.
   *
   * @throws IllegalArgumentException if there are too few
   */
  static <T> HeldOut<T> of(List<T> bySize) {
    if (bySize.size() < LEAST_SIZES) {
      throw new IllegalArgumentException(
          "the model needs %d sizes, two to fit a line and one to check it; got %d"
              .formatted(LEAST_SIZES, bySize.size()));
    }
    List<T> fitted = new ArrayList<>();
    List<T> checked = new ArrayList<>();
    for (int i = 0; i < bySize.size(); i++) {
      (i % 2 == 0 ? fitted : checked).add(bySize.get(i));
    }
    return new HeldOut<>(fitted, checked);
  }
}
