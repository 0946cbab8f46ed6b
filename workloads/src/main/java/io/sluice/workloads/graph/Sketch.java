package io.sluice.workloads.graph;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * About how many vertices there are in a set, by Flajolet's and Martin's bits: 32 masks, of which
 * each vertex sets a random bit, the i-th with probability 1/2^(i+1). Those of a union are the bits
 * of both. Thread contract: safe from any thread.
 */
final class Sketch {
  private static final int MASKS = 32;

  /** What the mean of the lowest bit that is not set is too low by. */
  private static final double CORRECTION = 0.77351;

  private Sketch() {}

  /** Of one vertex. */
  static long[] of(long vertex) {
    SplittableRandom random = new SplittableRandom(vertex);
    long[] masks = new long[MASKS];
    Arrays.setAll(masks, i -> Long.lowestOneBit(random.nextLong() | Long.MIN_VALUE));
    return masks;
  }

  /** Of a union. */
  static long[] union(long[] some, long[] others) {
    long[] union = new long[MASKS];
    Arrays.setAll(union, i -> some[i] | others[i]);
    return union;
  }

  /** How many vertices there are. */
  static double size(long[] masks) {
    double bits = 0;
    for (long mask : masks) {
      bits += Long.numberOfTrailingZeros(~mask);
    }
    return StrictMath.pow(2, bits / MASKS) / CORRECTION;
  }
}
