package io.sluice.spill.merge;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Which runs to merge into one before the last merge, when there are more than may be merged at
 * once: the smallest, and in the first round just so many that every later round is full, as
 * Hadoop's {@code Merger} does it, so that the fewest bytes are merged twice.
 *
 * <p>Stateless: the caller merges what {@link #nextRound} names, puts the result in the place of
 * those runs, and asks again until it names none.
 */
public final class MergePlan {
  private MergePlan() {}

  /**
   * The runs to merge now, by their place in {@code lengthsBytes}, smallest first; empty when all
   * that are left can be merged at once.
   *
   * @param fanIn most runs that may be merged at once, at least 2
   */
  public static int[] nextRound(long[] lengthsBytes, int fanIn) {
    if (fanIn < 2) {
      throw new IllegalArgumentException("fan-in of a merge is " + fanIn + ", expected at least 2");
    }
    int count = lengthsBytes.length;
    if (count <= fanIn) {
      return new int[0];
    }
    int remainder = (count - 1) % (fanIn - 1);
    return IntStream.range(0, count)
        .boxed()
        .sorted(Comparator.comparingLong(run -> lengthsBytes[run]))
        .limit(remainder == 0 ? fanIn : remainder + 1)
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
