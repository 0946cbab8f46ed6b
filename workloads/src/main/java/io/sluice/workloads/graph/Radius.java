package io.sluice.workloads.graph;

import io.sluice.workloads.run.Decimal;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Counts the steps in which each vertex reaches nine tenths of the vertices that it can reach:
 * Pegasus' Radius (HADI) in Mammoth, Table 2. In: edges. Out: {@code vertex radius}. The numbers of
 * reached vertices are estimates.
 */
public final class Radius extends Propagation {
  private static final double NEARLY_ALL = 0.9;

  public Radius() {
    super(Reached.class);
  }

  /** The vertices that one reaches; its notes are their number after each round. */
  static final class Reached implements States {
    @Override
    public long[] first(long vertex) {
      return Sketch.of(vertex);
    }

    @Override
    public long[] merge(long[] some, long[] others) {
      return Sketch.union(some, others);
    }

    @Override
    public long[] note(long[] notes, long[] state) {
      long[] longer = Arrays.copyOf(notes, notes.length + 1);
      longer[notes.length] = Decimal.MICRO.of(Sketch.size(state));
      return longer;
    }

    @Override
    public String result(long[] state, long[] notes) {
      double enough = NEARLY_ALL * notes[notes.length - 1];
      int radius = 0;
      while (notes[radius] < enough) {
        radius++;
      }
      return Integer.toString(radius);
    }
  }

  /**
   * Estimates the number of vertices in a set by Flajolet's and Martin's bits. Each vertex sets a
   * random bit in each of 32 masks, the i-th with probability 1/2^(i+1). A union has the bits of
   * both sets. Thread contract: stateless.
   */
  static final class Sketch {
    private static final int MASKS = 32;

    /** The factor by which the mean of the lowest clear bit is too low. */
    private static final double CORRECTION = 0.77351;

    private Sketch() {}

    /** The masks of one vertex. */
    static long[] of(long vertex) {
      SplittableRandom random = new SplittableRandom(vertex);
      long[] masks = new long[MASKS];
      Arrays.setAll(masks, i -> Long.lowestOneBit(random.nextLong() | Long.MIN_VALUE));
      return masks;
    }

    /** The masks of a union. */
    static long[] union(long[] some, long[] others) {
      long[] union = new long[MASKS];
      Arrays.setAll(union, i -> some[i] | others[i]);
      return union;
    }

    /** The number of vertices. */
    static double size(long[] masks) {
      double bits = 0;
      for (long mask : masks) {
        bits += Long.numberOfTrailingZeros(~mask);
      }
      return StrictMath.pow(2, bits / MASKS) / CORRECTION;
    }
  }
}
