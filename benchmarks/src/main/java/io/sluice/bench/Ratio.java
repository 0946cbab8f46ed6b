package io.sluice.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * A variant's share of what another one took in the same round.
 *
 * @param of the one
 * @param base the other
 */
public record Ratio<V extends Variant>(V of, V base) {
  /** Each of some variants against the same base. */
  @SafeVarargs
  public static <V extends Variant> List<Ratio<V>> against(V base, V... of) {
    List<Ratio<V>> ratios = new ArrayList<>();
    for (V variant : of) {
      ratios.add(new Ratio<>(variant, base));
    }
    return ratios;
  }

  String title() {
    return of.title() + " / " + base.title();
  }
}
