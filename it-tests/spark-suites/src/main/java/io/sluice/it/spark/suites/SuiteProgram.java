package io.sluice.it.spark.suites;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.scalatest.Args;
import org.scalatest.DynaTags;
import org.scalatest.Filter;
import org.scalatest.Reporter;
import org.scalatest.Suite;
import org.scalatest.events.Event;
import org.scalatest.events.TestCanceled;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestIgnored;
import org.scalatest.events.TestPending;
import org.scalatest.events.TestSucceeded;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs one of Spark's suites in a JVM of its own and writes a report.
 *
 * <p>Failure: of a test, or of the suite outside its tests, in the report; the exit status is 0 if
 * there is one.
 */
public final class SuiteProgram {
  private static final String IGNORED = "org.scalatest.Ignore";

  private SuiteProgram() {}

  /** Arguments: the suite's class, the class of the shuffle manager, the report's directory. */
  public static void main(String[] arguments) throws Exception {
    String name = arguments[0];
    Suite suite = (Suite) Class.forName(name).getConstructor().newInstance();
    Exclusions exclusions = Exclusions.load();
    SuiteEvents events = new SuiteEvents(exclusions.of(name));
    exclusions
        .unknown(name, CollectionConverters.asJava(suite.testNames()))
        .forEach(test -> events.fail(test, "is excluded, and the suite has no such test"));
    run(suite, exclusions.of(name).keySet(), events);
    Evidence.read(Path.of(System.getenv(Evidence.VARIABLE)))
        .faults(arguments[1], ListedSuite.of(name).declined())
        .forEach(fault -> events.fail("shuffles through Sluice", fault));
    SuiteReport.write(Path.of(arguments[2]), name, events.tests());
    System.exit(0); // threads of Spark would keep it
  }

  private static void run(Suite suite, Set<String> excluded, SuiteEvents events) {
    Args arguments =
        new Args(
            events,
            Args.apply$default$2(),
            filter(suite, excluded),
            Args.apply$default$4(),
            Option.empty(),
            Args.apply$default$6(),
            Args.apply$default$7(),
            false,
            Option.empty(),
            Option.empty());
    try {
      suite.run(Option.empty(), arguments).waitUntilCompleted();
    } catch (Throwable e) {
      events.fail("the suite itself", e + SuiteEvents.trace(Option.apply(e)));
    }
  }

  /** Gives the excluded tests the tag that Spark's own ignored ones have. */
  private static Filter filter(Suite suite, Set<String> excluded) {
    Map<String, scala.collection.immutable.Set<String>> tags =
        excluded.stream()
            .collect(Collectors.toMap(Function.identity(), test -> immutable(Set.of(IGNORED))));
    return new Filter(
        Filter.apply$default$1(),
        Filter.apply$default$2(),
        false,
        new DynaTags(immutable(Map.of()), immutable(Map.of(suite.suiteId(), immutable(tags)))));
  }

  private static <T> scala.collection.immutable.Set<T> immutable(Set<T> set) {
    return scala.collection.immutable.Set.from(CollectionConverters.asScala(set));
  }

  private static <K, V> scala.collection.immutable.Map<K, V> immutable(Map<K, V> map) {
    return scala.collection.immutable.Map.from(CollectionConverters.asScala(map));
  }

  /**
   * Writes the outcome of a suite as JUnit does, so that readers of JUnit's reports count it too.
   */
  static final class SuiteReport {
    private SuiteReport() {}

    /** Writes {@code TEST-<suite>.xml}. */
    static void write(Path directory, String suite, List<SuiteTest> tests) throws IOException {
      Path file = directory.resolve("TEST-" + suite + ".xml");
      try (Writer out = Files.newBufferedWriter(file)) {
        XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
        xml.writeStartDocument();
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", suite);
        for (SuiteTest test : tests) {
          xml.writeStartElement("testcase");
          xml.writeAttribute("classname", suite);
          xml.writeAttribute("name", legal(test.name()));
          xml.writeAttribute("time", Double.toString(test.durationMs() / 1e3));
          if (test.state() != SuiteTest.State.PASSED) {
            xml.writeStartElement(test.state() == SuiteTest.State.FAILED ? "failure" : "skipped");
            xml.writeAttribute("message", legal(test.reason().lines().findFirst().orElse("")));
            xml.writeCharacters(legal(test.reason()));
            xml.writeEndElement();
          }
          xml.writeEndElement();
        }
        xml.writeEndElement();
        xml.writeEndDocument();
      } catch (XMLStreamException e) {
        throw new IOException("cannot write " + file, e);
      }
    }

    /** Messages quote what a test read; XML has no place for control characters. */
    private static String legal(String text) {
      return text.replaceAll("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD]", "?");
    }
  }

  /**
   * Collects what ScalaTest says about the tests of a suite.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class SuiteEvents implements Reporter {
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
        add(
            test.testName(),
            SuiteTest.State.SKIPPED,
            "canceled: " + test.message(),
            test.duration());
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

  /**
   * The outcome of one test.
   *
   * @param state how it ended
   * @param reason why it failed or was not run, with the trace if there is one; empty if it passed
   */
  record SuiteTest(String name, State state, String reason, long durationMs) {
    /** How a test ends. */
    enum State {
      PASSED,
      FAILED,
      SKIPPED
    }
  }
}
