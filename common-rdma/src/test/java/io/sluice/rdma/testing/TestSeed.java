package io.sluice.rdma.testing;

import java.util.Random;

/**
 * Seeds of randomized tests: another one each time, printed with what repeats it.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TestSeed {
  /** Gives all tests of a run this seed. */
  public static final String PROPERTY = "sluice.test.seed";

  private TestSeed() {}

  /** A random of {@link #next}. */
  public static Random random() {
    return new Random(next());
  }

  /** The seed given by {@code -Dsluice.test.seed}, or a new one, in the name of the caller. */
  public static long next() {
    StackWalker.StackFrame test =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .filter(frame -> !frame.getClassName().equals(TestSeed.class.getName()))
                        .findFirst()
                        .orElseThrow());
    String name = test.getClassName();
    return next(name.substring(name.lastIndexOf('.') + 1) + "." + test.getMethodName());
  }

  /** The same in the name of a test. */
  public static long next(String test) {
    long seed = Long.getLong(PROPERTY, System.nanoTime());
    System.out.println(test + ": repeat with -D" + PROPERTY + "=" + seed);
    return seed;
  }
}
