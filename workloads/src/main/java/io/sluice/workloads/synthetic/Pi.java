package io.sluice.workloads.synthetic;

import java.math.BigInteger;

/** Arithmetic that nobody needs. Thread contract: safe from any thread. */
final class Pi {
  private static final int GUARD_DIGITS = 10;
  private static final BigInteger FOUR = BigInteger.valueOf(4);

  private Pi() {}

  /** So many digits, the three included, without the point: by Machin's formula. */
  static BigInteger digits(int count) {
    BigInteger one = BigInteger.TEN.pow(count - 1 + GUARD_DIGITS);
    BigInteger quarter = FOUR.multiply(arcCotangent(5, one)).subtract(arcCotangent(239, one));
    return FOUR.multiply(quarter).divide(BigInteger.TEN.pow(GUARD_DIGITS));
  }

  private static BigInteger arcCotangent(int x, BigInteger one) {
    BigInteger square = BigInteger.valueOf((long) x * x);
    BigInteger power = one.divide(BigInteger.valueOf(x));
    BigInteger sum = BigInteger.ZERO;
    for (int odd = 1; power.signum() != 0; odd += 2) {
      BigInteger term = power.divide(BigInteger.valueOf(odd));
      sum = odd % 4 == 1 ? sum.add(term) : sum.subtract(term);
      power = power.divide(square);
    }
    return sum;
  }
}
