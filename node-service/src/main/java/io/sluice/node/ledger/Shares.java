package io.sluice.node.ledger;

import java.util.Collection;
import java.util.List;

/** Shares out by max-min: who wants less than an equal share gets that, the others the rest. */
final class Shares {
  private Shares() {}

  /**
   * The most that anybody gets.
   *
   * @param demands what each wants
   * @return all of it if the demands fit
   */
  static long level(long capacityBytes, Collection<Long> demands) {
    List<Long> rising = demands.stream().sorted().toList();
    long leftBytes = capacityBytes;
    for (int i = 0; i < rising.size(); i++) {
      long equalBytes = leftBytes / (rising.size() - i);
      if (rising.get(i) > equalBytes) {
        return equalBytes;
      }
      leftBytes -= rising.get(i);
    }
    return capacityBytes;
  }
}
