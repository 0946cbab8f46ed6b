package io.sluice.workloads.graph;

import io.sluice.workloads.run.Decimal;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.hadoop.util.ToolRunner;

/**
 * Says of each vertex in how many steps nine tenths of what it reaches are reached: Pegasus' Radius
 * (HADI) in Mammoth, Table 2. In: edges. Out: {@code vertex radius}. How many are reached is
 * estimated.
 */
public final class Radius extends RankSpread {
  private static final double NEARLY_ALL = 0.9;

  public Radius() {
    super(Reached.class);
  }

  /** The vertices that one reaches; noted is how many they are after each round. */
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

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Radius(), arguments));
  }

  /**
   * About how many vertices there are in a set, by Flajolet's and Martin's bits: 32 masks, of which
   * each vertex sets a random bit, the i-th with probability 1/2^(i+1). Those of a union are the
   * bits of both. Thread contract: safe from any thread.
   */
  static final class Sketch {
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
}
