package io.sluice.it.spark.suites;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.scalatest.Args;
import org.scalatest.DynaTags;
import org.scalatest.Filter;
import org.scalatest.Suite;
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
}
