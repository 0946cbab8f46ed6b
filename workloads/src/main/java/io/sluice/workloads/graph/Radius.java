package io.sluice.workloads.graph;

import io.sluice.workloads.run.Decimal;
import java.util.Arrays;
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
}
