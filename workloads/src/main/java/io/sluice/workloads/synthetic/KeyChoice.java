package io.sluice.workloads.synthetic;

import io.sluice.workloads.input.Zipf;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;

/** Which key a pair has: Table 9's d_i. Thread contract: safe from any thread. */
@FunctionalInterface
interface KeyChoice {
  String KIND = "workloads.synthetic.keys";
  String SKEW = "workloads.synthetic.zipf-skew";
  String ALPHA = "workloads.synthetic.alpha";

  /** Keys are from 1 to this. */
  int KEYS = 10_000;

  int draw(SplittableRandom random);

  /**
   * What is configured.
   *
   * @param reduces how many there are; Hadoop gives one of them the keys that leave its number
   */
  static KeyChoice of(Configuration conf, int reduces) {
    String kind = conf.get(KIND, "uniform");
    return switch (kind) {
      case "uniform" -> KeyChoice::uniform;
      case "zipfian" -> {
        Zipf zipf = new Zipf(KEYS, conf.getDouble(SKEW, 10));
        yield random -> 1 + zipf.draw(random);
      }
      case "biased" -> biased(conf.getDouble(ALPHA, 0.7), reduces);
      default ->
          throw new IllegalArgumentException(KIND + " is uniform, zipfian or biased, not " + kind);
    };
  }

  private static int uniform(SplittableRandom random) {
    return 1 + random.nextInt(KEYS);
  }

  /** The first reduce is special. If it is the only one, it gets all. */
  private static KeyChoice biased(double alpha, int reduces) {
    return random -> {
      if (reduces <= 1) {
        return uniform(random);
      }
      boolean special = random.nextDouble() < alpha;
      int key = uniform(random);
      while (key % reduces == 0 != special) {
        key = uniform(random);
      }
      return key;
    };
  }
}
