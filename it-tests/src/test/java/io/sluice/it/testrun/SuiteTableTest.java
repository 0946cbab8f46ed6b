package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.LabSuite;
import io.sluice.it.testrun.SuiteTable.SuiteRow;
import io.sluice.it.testrun.TestRun.LabTask;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

class SuiteTableTest {
  private static final Workspace WORKSPACE = Workspace.find();
  private static final SuiteTable TABLE = SuiteTable.read(TestRun.contributing(WORKSPACE));

  /** That run in guests: the suite of the lab has the row. */
  private static final String IN_GUESTS = "io.sluice.it.lab.";

  @Test
  void everyIntegrationTestHasARowInALaneOfThisMachine() {
    Set<String> classes =
        hostTests().keySet().stream().collect(Collectors.toCollection(TreeSet::new));
    Set<String> rows =
        TABLE.rows().stream()
            .filter(row -> row.lane().startsWith(SuiteTable.HOST_LANES))
            .map(SuiteRow::suite)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(classes, rows);
  }

  @Test
  void everySuiteOfTheLabHasARowThatSaysWhatRuns() {
    assertEquals(labRows(false), labSuites(false));
    assertEquals(labRows(true), labSuites(true));
    Set<String> ofOneHost =
        LabRun.ids(1).stream().map(id -> "lab " + id).collect(Collectors.toSet());
    assertTrue(labSuites(true).containsAll(ofOneHost), "all of " + ofOneHost);
  }

  @Test
  void everyTestOfTheLabIsInOneOfItsSuites() {
    Set<String> inSuites =
        Arrays.stream(LabSuite.values())
            .flatMap(suite -> suite.classes().stream())
            .collect(Collectors.toSet());
    Set<String> inNone =
        TestPrograms.integrationTests(WORKSPACE).values().stream()
            .filter(name -> name.startsWith(IN_GUESTS) && !inSuites.contains(name))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of(), inNone);
  }

  /** What is tagged decides; the table shall not say otherwise. */
  @Test
  void theTableSaysWhichTestsAreOfCampaigns() throws ClassNotFoundException {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, String> entry : hostTests().entrySet()) {
      Class<?> testClass = Class.forName(entry.getValue());
      List<Method> tests =
          Arrays.stream(testClass.getDeclaredMethods())
              .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
              .toList();
      long tagged =
          isCampaign(testClass)
              ? tests.size()
              : tests.stream().filter(SuiteTableTest::isCampaign).count();
      SuiteRow.Part test =
          tagged == 0
              ? SuiteRow.Part.ALL
              : tagged < tests.size() ? SuiteRow.Part.CORE : SuiteRow.Part.NOTHING;
      SuiteRow row = row(entry.getKey());
      if (row.test() != test || row.campaign() != rest(test)) {
        wrong.add("%s: %s and %s".formatted(entry.getKey(), test.text(), rest(test).text()));
      }
    }
    assertEquals(List.of(), wrong, "rows that should say");
  }

  @Test
  void aSuiteThatIsNotNamedHasTheShareOfAUnitTest() {
    List<String> page =
        List.of(
            "| suite | lane | `./sluice test` | `--all` adds | share, s |",
            "|---|---|---|---|---|",
            "| unit tests, each class | unit | all | – | 7 |",
            "| `SlowIT` | host one | a core | the rest | 90 |",
            "",
            "| other | table |");
    SuiteTable table = SuiteTable.parse(page);
    assertEquals(List.of(7, 90), List.of(table.shareS("AnyTest"), table.shareS("SlowIT")));
    assertEquals(97, table.sharesS(List.of("AnyTest", "SlowIT")));
    assertEquals(List.of("SlowIT"), table.suites("host one", false));
    assertEquals(List.of("host one"), table.lanes(SuiteTable.HOST_LANES, false));
  }

  @Test
  void aRowThatCannotBeReadIsNamed() {
    List<String> page =
        List.of(
            "| suite | lane | `./sluice test` | `--all` adds | share, s |",
            "|---|---|---|---|---|",
            "| SlowIT | host one | some | the rest | 90 |");
    String message =
        assertThrows(IllegalArgumentException.class, () -> SuiteTable.parse(page)).getMessage();
    assertTrue(message.contains("| SlowIT |"), message);
  }

  private static Map<String, String> hostTests() {
    Map<String, String> classes = TestPrograms.integrationTests(WORKSPACE);
    classes.values().removeIf(name -> name.startsWith(IN_GUESTS));
    return classes;
  }

  private static boolean isCampaign(java.lang.reflect.AnnotatedElement tests) {
    return AnnotationSupport.findRepeatableAnnotations(tests, Tag.class).stream()
        .anyMatch(tag -> tag.value().equals(TestPrograms.CAMPAIGN));
  }

  private static SuiteRow.Part rest(SuiteRow.Part test) {
    return switch (test) {
      case ALL -> SuiteRow.Part.NOTHING;
      case CORE -> SuiteRow.Part.REST;
      default -> SuiteRow.Part.ALL;
    };
  }

  private static SuiteRow row(String suite) {
    return TABLE.rows().stream()
        .filter(row -> row.suite().equals(suite))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row of " + suite));
  }

  private static Set<String> labRows(boolean all) {
    return Set.copyOf(TABLE.suites("lab", all));
  }

  private static Set<String> labSuites(boolean all) {
    Stream<String> suites = LabRun.ofTest(all).stream().map(LabTask::suiteName);
    return suites.collect(Collectors.toSet());
  }
}
