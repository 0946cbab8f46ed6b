package io.sluice.it.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The reports of test runners.
 *
 * @param outcomes one for each test, and one for a class that was skipped as a whole
 */
public record TestReports(Collection<TestOutcome> outcomes) {
  /** How JUnit's own reporter writes an entry. */
  private static final Pattern PUBLISHED = Pattern.compile("\\s*- ([\\w-]+: .*)");

  /** How JUnit begins the message of several assertions; what failed is in its next lines. */
  private static final String SEVERAL = "Multiple Failures";

  /** How JUnit's own reporter begins the reason of a test whose whole class was skipped. */
  private static final String OF_CLASS = "parent was skipped: ";

  private static final Pattern CLASS = Pattern.compile("^(?:[a-z0-9_]+\\.)*([A-Z][\\w$]*)");

  /** How a trace begins each cause. */
  private static final String CAUSE = "Caused by: ";

  /**
   * Reads the reports that runners of Maven's wrote for the modules of a checkout since an instant.
   *
   * @param runners a pattern of how their directories begin: {@code surefire|failsafe}
   */
  public static TestReports read(Path root, String runners, Instant since) {
    return of(ReportFiles.ofModules(root, runners, since));
  }

  /** A failure before there was a report. */
  public static TestReports ofFailure(String name, String reason) {
    return new TestReports(List.of(TestOutcome.of(name, TestOutcome.State.FAILED, reason)));
  }

  /**
   * Reads all reports below a directory, of whatever runner; none if there is no such directory.
   */
  public static TestReports in(Path directory) {
    return of(ReportFiles.below(directory));
  }

  /** Reads one report. */
  public static TestReports of(Path report) {
    return of(List.of(report));
  }

  /** Both; of a test that ran on two machines a failure counts first, then that it passed. */
  public TestReports with(TestReports others) {
    return of(Stream.concat(outcomes.stream(), others.outcomes.stream()));
  }

  public int passed() {
    return in(TestOutcome.State.PASSED).size();
  }

  public List<TestOutcome> failed() {
    return in(TestOutcome.State.FAILED);
  }

  public List<TestOutcome> skipped() {
    return in(TestOutcome.State.SKIPPED);
  }

  /** The names of tests that were skipped, by their reasons. */
  public Map<String, List<String>> skippedByReason() {
    return skipped().stream()
        .collect(
            Collectors.groupingBy(
                TestOutcome::reason,
                LinkedHashMap::new,
                Collectors.mapping(TestOutcome::name, Collectors.toList())));
  }

  /** A line for each reason, with the test that has it, or the number and classes of several. */
  public static List<String> inShort(Map<String, List<String>> testsByReason) {
    return testsByReason.entrySet().stream()
        .map(reason -> inShort(reason.getValue()) + ": " + reason.getKey())
        .toList();
  }

  private static String inShort(List<String> tests) {
    if (tests.size() == 1) {
      return tests.get(0);
    }
    return tests.size()
        + " tests of "
        + tests.stream().map(TestReports::className).distinct().collect(Collectors.joining(", "));
  }

  private static String className(String test) {
    Matcher found = CLASS.matcher(test);
    return found.find() ? found.group(1) : test;
  }

  /** The line that closes a run. */
  public String count() {
    return "%d passed, %d failed, %d skipped"
        .formatted(passed(), failed().size(), skipped().size());
  }

  private List<TestOutcome> in(TestOutcome.State state) {
    return outcomes.stream().filter(test -> test.state() == state).toList();
  }

  private static TestReports of(List<Path> reports) {
    return of(reports.stream().flatMap(TestReports::tests));
  }

  private static TestReports of(Stream<TestOutcome> tests) {
    Map<String, TestOutcome> byName = new LinkedHashMap<>();
    tests.forEach(test -> byName.merge(test.name(), test, TestOutcome::orBetter));
    return new TestReports(
        byName.values().stream()
            .collect(
                Collectors.groupingBy(TestOutcome::suite, LinkedHashMap::new, Collectors.toList()))
            .values()
            .stream()
            .flatMap(ofSuite -> inOneSkip(ofSuite).stream())
            .toList());
  }

  /** The skip of the whole class alone; its tests, if another machine ran some. */
  private static List<TestOutcome> inOneSkip(List<TestOutcome> ofSuite) {
    boolean ran = ofSuite.stream().anyMatch(test -> test.state() != TestOutcome.State.SKIPPED);
    boolean isSkipped = ofSuite.stream().anyMatch(TestOutcome::isOfSuite);
    return ran || isSkipped
        ? ofSuite.stream().filter(test -> test.isOfSuite() != ran).toList()
        : ofSuite;
  }

  private static Stream<TestOutcome> tests(Path report) {
    try {
      NodeList tests =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(report.toFile())
              .getElementsByTagName("testcase");
      return Stream.iterate(0, i -> i < tests.getLength(), i -> i + 1)
          .map(i -> outcome((Element) tests.item(i)));
    } catch (IOException | SAXException | ParserConfigurationException e) {
      // As of a runner that was killed; the others' tests still count.
      return Stream.of(
          TestOutcome.of(
              report.getFileName().toString(), TestOutcome.State.FAILED, "cannot be read: " + e));
    }
  }

  private static TestOutcome outcome(Element test) {
    Optional<String> failure = reason(test, "failure").or(() -> reason(test, "error"));
    Optional<String> skip = reason(test, "skipped");
    TestOutcome.State state =
        failure.isPresent()
            ? TestOutcome.State.FAILED
            : skip.isPresent() ? TestOutcome.State.SKIPPED : TestOutcome.State.PASSED;
    String suite = test.getAttribute("classname");
    if (skip.isPresent() && skip.get().startsWith(OF_CLASS)) {
      return TestOutcome.of(suite, state, skip.get().substring(OF_CLASS.length()));
    }
    return new TestOutcome(
        suite,
        TestOutcome.name(suite, test.getAttribute("name")),
        state,
        failure.or(() -> skip).orElse(""),
        published(test),
        wallMs(test.getAttribute("time")));
  }

  /** Seconds, with a comma between thousands. */
  private static long wallMs(String time) {
    return time.isBlank() ? 0 : Math.round(1e3 * Double.parseDouble(time.replace(",", "")));
  }

  private static List<String> published(Element test) {
    NodeList output = test.getElementsByTagName("system-out");
    return Stream.iterate(0, i -> i < output.getLength(), i -> i + 1)
        .flatMap(i -> output.item(i).getTextContent().lines())
        .map(PUBLISHED::matcher)
        .filter(Matcher::matches)
        .map(entry -> entry.group(1))
        .toList();
  }

  /**
   * The message's first line, or all of it if it is of several failures, and the first cause of all
   * if the trace has one; aborted tests have it only in the first line of their trace.
   */
  private static Optional<String> reason(Element test, String element) {
    NodeList found = test.getElementsByTagName(element);
    if (found.getLength() == 0) {
      return Optional.empty();
    }
    Element outcome = (Element) found.item(0);
    String message = outcome.getAttribute("message");
    String text = message.isBlank() ? outcome.getTextContent() : message;
    String reason =
        text.strip()
            .lines()
            .takeWhile(line -> !line.startsWith("\tat "))
            .limit(text.contains(SEVERAL) ? Integer.MAX_VALUE : 1)
            .map(line -> line.strip().replaceFirst("^org\\.opentest4j\\.\\w+: ", ""))
            .reduce((before, line) -> before + "; " + line)
            .orElse("no reason given");
    return Optional.of(
        outcome
            .getTextContent()
            .lines()
            .filter(line -> line.startsWith(CAUSE)) // those of suppressed ones are indented
            .reduce((cause, ofIt) -> ofIt)
            .map(line -> reason + ": " + line.substring(CAUSE.length()))
            .orElse(reason));
  }

  /**
   * How one test ended.
   *
   * @param suite the class that it is of, or what stands for one
   * @param name class and method, the same whichever runner reports it
   * @param state how
   * @param reason why it failed or was skipped; empty if it passed
   * @param published what the test wanted people to know, as {@code key: value}
   * @param wallMs how long it took; 0 if nobody measured
   */
  public record TestOutcome(
      String suite, String name, State state, String reason, List<String> published, long wallMs) {
    /** The order is the one in which outcomes of the same test on two machines win. */
    public enum State {
      /** It did not pass, or threw. */
      FAILED,
      /** It ran to its end. */
      PASSED,
      /** It could not run there. */
      SKIPPED
    }

    /** The outcome of something that is no test of a class. */
    public static TestOutcome of(String name, State state, String reason) {
      return new TestOutcome(name, name, state, reason, List.of(), 0);
    }

    /**
     * JUnit's runners differ in whether they write parameters: {@code name()} or {@code name}.
     * Spark's tests have sentences for names, with what they like in parentheses.
     */
    static String name(String className, String methodName) {
      return className + "." + methodName.replaceFirst("^(\\w+)\\([^)]*\\)", "$1");
    }

    /** Whether it is of a class that was skipped as a whole. */
    boolean isOfSuite() {
      return state == State.SKIPPED && name.equals(suite);
    }

    /** The better one; of two alike the later, which is of the guest, where more can run. */
    TestOutcome orBetter(TestOutcome later) {
      return later.state.compareTo(state) <= 0 ? later : this;
    }

    @Override
    public String toString() {
      return name + ": " + reason;
    }
  }
}
