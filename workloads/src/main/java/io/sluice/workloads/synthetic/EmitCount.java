package io.sluice.workloads.synthetic;

import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;

/** How many pairs a token makes: Table 9's d_m. Thread contract: safe from any thread. */
@FunctionalInterface
interface EmitCount {
  String KIND = "workloads.synthetic.emit";
  String LAMBDA = "workloads.synthetic.lambda";
  String PSI = "workloads.synthetic.psi";

  /** Above this mean the probability of none is no double any more. */
  double GREATEST_LAMBDA = 700;

  int draw(SplittableRandom random);

  /** What is configured. */
  static EmitCount of(Configuration conf) {
    String kind = conf.get(KIND, "one-to-one");
    return switch (kind) {
      case "one-to-one" -> random -> 1;
      case "many-to-one" -> {
        double psi = conf.getDouble(PSI, 0.1);
        yield random -> random.nextDouble() < psi ? 1 : 0;
      }
      case "one-to-many" -> poisson(conf.getDouble(LAMBDA, 10));
      default ->
          throw new IllegalArgumentException(
              KIND + " is one-to-one, many-to-one or one-to-many, not " + kind);
    };
  }

  /** Knuth's: as many factors as it takes to come down to the probability of none. */
  private static EmitCount poisson(double lambda) {
    if (!(lambda > 0 && lambda <= GREATEST_LAMBDA)) {
      throw new IllegalArgumentException(
          LAMBDA + " is above 0 and at most " + GREATEST_LAMBDA + ", not " + lambda);
    }
    double none = StrictMath.exp(-lambda);
    return random -> {
      int count = 0;
      for (double product = random.nextDouble(); product > none; product *= random.nextDouble()) {
        count++;
      }
      return count;
    };
  }
}
