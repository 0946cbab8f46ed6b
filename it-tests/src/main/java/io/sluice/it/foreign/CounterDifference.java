package io.sluice.it.foreign;

import java.util.Optional;

/**
 * A counter of one job whose values by stock and by Sluice are not equal. Immutable.
 *
 * @param job which of the program's jobs, from 1
 * @param name group and name
 * @param stock stock's value, if it has the counter
 * @param sluice Sluice's value, if it has the counter
 */
record CounterDifference(int job, String name, Optional<Long> stock, Optional<Long> sluice) {
  @Override
  public String toString() {
    return "job %d: %s = %s, %s".formatted(job, name, text(stock), text(sluice));
  }

  private static String text(Optional<Long> value) {
    return value.map(Object::toString).orElse("none");
  }

  /**
   * Why a counter is greater by Sluice than by stock although every record is there.
   *
   * @param name of the counter
   * @param mostMore the greatest difference that it explains
   * @param why in words, for the page of results
   */
  record Cause(String name, long mostMore, String why) {
    boolean explains(CounterDifference difference) {
      if (!name.equals(difference.name)
          || difference.stock.isEmpty()
          || difference.sluice.isEmpty()) {
        return false;
      }
      long more = difference.sluice.get() - difference.stock.get();
      return more > 0 && more <= mostMore;
    }
  }
}
