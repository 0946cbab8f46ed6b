package io.sluice.bench;

/**
 * A variant's share of what another one took in the same round.
 *
 * @param of the one
 * @param base the other
 */
public record Ratio<V extends Variant>(V of, V base) {
  String title() {
    return of.title() + " / " + base.title();
  }
}
