package io.sluice.workloads.input;

import io.sluice.workloads.run.Decimal;
import java.util.SplittableRandom;

/**
 * Writes points, each a line of coordinates with six decimals and commas between them: normally
 * distributed around centres that are uniformly distributed in a cube of edge 100.
 */
public final class GeneratePoints extends Generator {
  private static final String DIMENSIONS = "workloads.points.dimensions";
  private static final String CLUSTERS = "workloads.points.clusters";
  private static final double EDGE = 100;
  private static final double DEVIATION = 5;

  /** Each seed of an input gives other points of the same clusters. */
  private static final long SEED_OF_CENTRES = 20130917;

  public GeneratePoints() {
    super("points");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    double[][] centres = centres(getConf().getInt(CLUSTERS, 10), getConf().getInt(DIMENSIONS, 3));
    write(
        arguments,
        (number, random, lines) -> {
          double[] centre = centres[random.nextInt(centres.length)];
          for (int i = 0; i < centre.length; i++) {
            double coordinate = centre[i] + DEVIATION * normal(random);
            Decimal.MICRO.append(lines, Decimal.MICRO.of(coordinate));
            lines.append(i < centre.length - 1 ? ',' : '\n');
          }
        });
  }

  private static double[][] centres(int clusters, int dimensions) {
    SplittableRandom random = new SplittableRandom(SEED_OF_CENTRES);
    double[][] centres = new double[clusters][dimensions];
    for (double[] centre : centres) {
      for (int i = 0; i < dimensions; i++) {
        centre[i] = random.nextDouble(EDGE);
      }
    }
    return centres;
  }

  /** Box and Muller's; {@code nextGaussian} may be another one in another JDK. */
  private static double normal(SplittableRandom random) {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
  }
}
