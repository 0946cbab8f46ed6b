package io.sluice.workloads.input;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Draws ranks from 0 on, rank r about 1/(r+1)^exponent as often as the first.
 *
 * <p>Thread contract: immutable. Memory: eight bytes for each rank.
 */
public final class Zipf {
  private final double[] upTo;

  /** For ranks below {@code ranks}. */
  public Zipf(int ranks, double exponent) {
    upTo = new double[ranks];
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      // The strict one, for the same draws on every machine.
      sum += StrictMath.pow(rank + 1, -exponent);
      upTo[rank] = sum;
    }
  }

  /** A rank. */
  public int draw(SplittableRandom random) {
    int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
    // What is left of the first greater sum belongs to that sum's rank.
    return Math.min(found < 0 ? -found - 1 : found + 1, upTo.length - 1);
  }
}
