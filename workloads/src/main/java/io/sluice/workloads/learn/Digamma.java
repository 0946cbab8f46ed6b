package io.sluice.workloads.learn;

/** The derivative of the gamma function's logarithm. Thread contract: safe from any thread. */
final class Digamma {
  /** From here on the series below is good for twelve digits. */
  private static final double LARGE = 8;

  private Digamma() {}

  /** Of a positive number, the same on every machine. */
  static double of(double number) {
    double x = number;
    double below = 0;
    for (; x < LARGE; x++) {
      below += 1 / x;
    }
    double square = 1 / (x * x);
    double series =
        square
            * (1.0 / 12
                - square
                    * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square / 132))));
    return StrictMath.log(x) - 0.5 / x - series - below;
  }
}
