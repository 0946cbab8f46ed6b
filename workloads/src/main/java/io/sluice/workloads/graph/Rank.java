package io.sluice.workloads.graph;

import io.sluice.workloads.run.Decimal;

/**
 * How much of its rank a page gives, and what it gets, in thousand millionths of the mean rank.
 * Longs all through, and divided in one place for each page alone: sums of them have no order, so
 * the ranks are the same on every engine. What division leaves is lost.
 */
public final class Rank {
  /** That of every page at first, and their mean. */
  public static final long FIRST = Decimal.NANO.one();

  private static final long PERCENT_BY_LINKS = 85;
  private static final long PERCENT = 100;

  private Rank() {}

  /** What each of its links gets of a page. */
  public static long share(long rank, int links) {
    return rank / links;
  }

  /**
   * The next rank of a page.
   *
   * @param shares sum of what it is given by links
   * @param dangling sum of the ranks of pages without links, which give to all pages alike
   * @param pages how many there are
   */
  public static long next(long shares, long dangling, long pages) {
    long given = Math.multiplyExact(PERCENT_BY_LINKS, Math.addExact(shares, dangling / pages));
    return ((PERCENT - PERCENT_BY_LINKS) * FIRST + given) / PERCENT;
  }
}
