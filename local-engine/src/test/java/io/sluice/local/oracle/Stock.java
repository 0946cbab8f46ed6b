package io.sluice.local.oracle;

import io.sluice.local.Leftovers;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Asks LocalJobRunner for what is right. It once failed a job that it runs well otherwise, and
 * nothing told why; so it is asked once more, and what it said is printed.
 */
final class Stock {
  private Stock() {}

  /**
   * What it answers.
   *
   * @param question throws if a job fails; asked a second time it finds what it left the first time
   */
  static <T> T ask(Callable<T> question) throws Exception {
    Set<Thread> reporters = Leftovers.reporters();
    try (StockLog log = new StockLog()) {
      try {
        return question.call();
      } catch (Exception | AssertionError e) {
        System.out.println("LocalJobRunner failed, and is asked once more: " + log.text());
        Leftovers.excuseReporters(reporters);
      }
    }
    try (StockLog log = new StockLog()) {
      try {
        return question.call();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("LocalJobRunner failed twice: " + log.text(), e);
      }
    }
  }
}
