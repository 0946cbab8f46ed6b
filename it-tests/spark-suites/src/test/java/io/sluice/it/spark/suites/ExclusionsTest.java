package io.sluice.it.spark.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.scalatest.Suite;
import scala.jdk.javaapi.CollectionConverters;

class ExclusionsTest {
  @Test
  void areReadByTheirIndent() {
    List<String> lines =
        List.of(
            "# c",
            "a.S",
            "  first (1)",
            "    because",
            "    of this",
            "  second",
            "    x",
            "",
            "b.S");
    Exclusions read = Exclusions.parse(lines);
    assertEquals(Map.of("first (1)", "because of this", "second", "x"), read.of("a.S"));
    assertEquals(Map.of(), read.of("c.S"));
    assertEquals(List.of("second"), read.unknown("a.S", Set.of("first (1)", "third")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a.S\n  test",
        "a.S\n  test\n  other\n    x",
        "a.S\n  test\nb.S",
        "    x",
        "  test\n    x"
      })
  void noneIsWithoutATestAndAReason(String text) {
    assertThrows(IllegalArgumentException.class, () -> Exclusions.parse(text.lines().toList()));
  }

  @Test
  void areOfSuitesThatAreRun() {
    List<String> listed = ListedSuite.all().stream().map(ListedSuite::className).toList();
    assertTrue(
        listed.containsAll(Exclusions.load().suites()), Exclusions.load().suites().toString());
  }

  static Stream<String> suites() {
    return Exclusions.load().suites().stream();
  }

  /** A test that Spark renames would run, and its exclusion lie about. */
  @ParameterizedTest
  @MethodSource("suites")
  void nameTestsThatTheSuiteHas(String name) throws ReflectiveOperationException {
    Suite suite = (Suite) Class.forName(name).getConstructor().newInstance();
    Set<String> tests = CollectionConverters.asJava(suite.testNames());
    assertEquals(List.of(), Exclusions.load().unknown(name, tests));
  }
}
