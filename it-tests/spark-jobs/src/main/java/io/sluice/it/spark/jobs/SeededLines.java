package io.sluice.it.spark.jobs;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;

/**
 * Lines of made-up words, the same for the same seed and block. A word is the shorter the more
 * frequent it is, and about as frequent as one of its rank in a natural language: the rank is drawn
 * so that the word at r is 1/r as frequent as the first.
 *
 * <p>Not thread-safe.
 */
final class SeededLines implements Iterator<String> {
  private static final int WORDS_OF_LINE = 16;
  private static final double LOG_OF_WORDS = StrictMath.log(1_000_000);
  private static final int LETTERS = 26;

  private final SplittableRandom random;
  private final StringBuilder line = new StringBuilder();
  private long leftBytes;

  /** Lines until they have so many bytes, or a few more. */
  SeededLines(long seed, int block, long bytes) {
    this.random = new SplittableRandom(seed * 1_000_003 + block);
    this.leftBytes = bytes;
  }

  @Override
  public boolean hasNext() {
    return leftBytes > 0;
  }

  @Override
  public String next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    line.setLength(0);
    for (int word = 0; word < WORDS_OF_LINE; word++) {
      if (word > 0) {
        line.append(' ');
      }
      // The strict one, for the same lines on every machine.
      appendWord((int) StrictMath.exp(random.nextDouble() * LOG_OF_WORDS));
    }
    leftBytes -= line.length() + 1;
    return line.toString();
  }

  /** The rank in letters. */
  private void appendWord(int rank) {
    for (int rest = rank; rest > 0; rest /= LETTERS) {
      line.append((char) ('a' + rest % LETTERS));
    }
  }
}
