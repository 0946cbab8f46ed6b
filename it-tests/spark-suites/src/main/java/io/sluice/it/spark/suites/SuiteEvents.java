package io.sluice.it.spark.suites;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.scalatest.Reporter;
import org.scalatest.events.Event;
import org.scalatest.events.TestCanceled;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestIgnored;
import org.scalatest.events.TestPending;
import org.scalatest.events.TestSucceeded;
import scala.Option;

/**
 * Collects what ScalaTest says about the tests of a suite.
 *
 * <p>Thread contract: safe from any thread.
 */
final class SuiteEvents implements Reporter {
  private final Map<String, String> exclusions;
  private final List<SuiteTest> tests = new ArrayList<>();

  /** {@code exclusions} are the reasons of tests that ScalaTest was told to ignore. */
  SuiteEvents(Map<String, String> exclusions) {
    this.exclusions = exclusions;
  }

  @Override
  public synchronized void apply(Event event) {
    if (event instanceof TestSucceeded test) {
      add(test.testName(), SuiteTest.State.PASSED, "", test.duration());
    } else if (event instanceof TestFailed test) {
      add(
          test.testName(),
          SuiteTest.State.FAILED,
          test.message() + trace(test.throwable()),
          test.duration());
    } else if (event instanceof TestCanceled test) {
      add(test.testName(), SuiteTest.State.SKIPPED, "canceled: " + test.message(), test.duration());
    } else if (event instanceof TestPending test) {
      add(test.testName(), SuiteTest.State.SKIPPED, "pending in Spark", test.duration());
    } else if (event instanceof TestIgnored test) {
      String reason = exclusions.getOrDefault(test.testName(), "ignored in Spark");
      add(test.testName(), SuiteTest.State.SKIPPED, reason, Option.empty());
    }
  }

  /** Something that is no test of the suite went wrong. */
  synchronized void fail(String name, String reason) {
    add(name, SuiteTest.State.FAILED, reason, Option.empty());
  }

  synchronized List<SuiteTest> tests() {
    return List.copyOf(tests);
  }

  private void add(String name, SuiteTest.State state, String reason, Option<Object> durationMs) {
    long ms = durationMs.isEmpty() ? 0 : (Long) durationMs.get();
    tests.add(new SuiteTest(name, state, reason, ms));
    System.out.printf("%s %s (%d ms)%n", state, name, ms);
  }

  static String trace(Option<Throwable> cause) {
    StringWriter text = new StringWriter();
    if (cause.isDefined()) {
      text.append('\n');
      cause.get().printStackTrace(new PrintWriter(text));
    }
    return text.toString();
  }
}
