package io.sluice.spill.record;

/** Seeds of randomized tests: another one each time, printed with what repeats it. */
public final class TestSeed {
  private TestSeed() {}

  /** The seed given by {@code -Dsluice.test.seed}, or a new one. */
  public static long next() {
    long seed = Long.getLong("sluice.test.seed", System.nanoTime());
    StackWalker.StackFrame test = StackWalker.getInstance().walk(s -> s.skip(1).findFirst().get());
    System.out.println(test.getClassName() + ": repeat with -Dsluice.test.seed=" + seed);
    return seed;
  }
}
