package io.sluice.spill.merge;

/**
 * How many runs to merge into one before the last merge, when there are more than may be merged at
 * once: in the first round just so many that every later round is full, as Hadoop's {@code Merger}
 * does it. With the shortest runs taken each time, the fewest bytes are merged twice.
 *
 * <p>Stateless: the caller merges that many of the shortest, puts the result in their place, and
 * asks again until the answer is 0.
 */
public final class MergePlan {
  private MergePlan() {}

  /**
   * How many of the shortest runs to merge now; 0 when all that are left can be merged at once.
   *
   * @param fanIn most runs that may be merged at once, at least 2
   */
  public static int roundSize(int runs, int fanIn) {
    if (fanIn < 2) {
      throw new IllegalArgumentException("fan-in of a merge is " + fanIn + ", expected at least 2");
    }
    if (runs <= fanIn) {
      return 0;
    }
    int remainder = (runs - 1) % (fanIn - 1);
    return remainder == 0 ? fanIn : remainder + 1;
  }
}
