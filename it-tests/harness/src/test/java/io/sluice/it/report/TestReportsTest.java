package io.sluice.it.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.TestReports.TestOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestReportsTest {
  @Test
  void failedAndSkippedTestsComeWithNameAndReason(@TempDir Path root) throws IOException {
    Path reports = Files.createDirectories(root.resolve("module/target/surefire-reports"));
    Files.writeString(
        reports.resolve("TEST-a.B.xml"),
        """
        <testsuite>
          <testcase classname="a.B" name="passes"/>
          <testcase classname="a.B" name="fails"><failure message="1 is not 2">trace</failure></testcase>
          <testcase classname="a.B" name="throws"><error message="GROUPS failed"><![CDATA[AssertionError: GROUPS failed
        \tat a.B
        \tSuppressed: java.io.IOException: not closed
        \tCaused by: java.io.IOException: no space
        Caused by: java.io.UncheckedIOException: cannot read
        \tat a.C
        Caused by: java.io.IOException: No such process
        \t... 3 more]]></error></testcase>
          <testcase classname="a.B" name="asserts"><failure message="Multiple Failures (2 failures)&#10;&#9;org.opentest4j.AssertionFailedError: rows&#10;&#9;no device">trace</failure></testcase>
          <testcase classname="a.B" name="skips"><skipped message="no libucx"/></testcase>
          <testcase classname="a.B" name="aborts"><skipped type="x">org.opentest4j.TestAbortedException: no DAX
            at a.B</skipped></testcase>
        </testsuite>
        """);
    TestReports read = TestReports.read(root, "surefire|failsafe|suite", Instant.EPOCH);
    assertEquals(1, read.passed());
    assertEquals(
        List.of(
            "a.B.fails: 1 is not 2",
            "a.B.throws: GROUPS failed: java.io.IOException: No such process",
            "a.B.asserts: Multiple Failures (2 failures); rows; no device"),
        names(read.failed()));
    assertEquals(List.of("a.B.skips: no libucx", "a.B.aborts: no DAX"), names(read.skipped()));
  }

  @Test
  void aTestThatRanOnOneOfTwoMachinesWasNotSkipped(@TempDir Path root) throws IOException {
    TestReports host = suite(root.resolve("host"), "<skipped message=\"no device\"/>");
    TestReports guest = suite(root.resolve("guest"), "");
    TestReports broken = suite(root.resolve("broken"), "<failure message=\"no\"/>");
    assertEquals(1, host.with(guest).passed());
    assertEquals(List.of(), host.with(guest).skipped());
    assertEquals(1, guest.with(broken).failed().size());
    assertEquals(0, guest.with(broken).passed());
    TestReports elsewhere = suite(root.resolve("elsewhere"), "<skipped message=\"too slow\"/>");
    assertEquals("too slow", host.with(elsewhere).skipped().get(0).reason());
  }

  /** A class that lacks its library is no news for each of its tests. */
  @Test
  void testsThatWereSkippedForOneReasonAreOneLine(@TempDir Path root) throws IOException {
    Files.writeString(
        root.resolve("TEST-a.xml"),
        """
        <testsuite>
          <testcase classname="a.B" name="reads()"><skipped message="no library"/></testcase>
          <testcase classname="a.B" name="ends"><skipped message="no library"/></testcase>
          <testcase classname="a.B" name="begins"><skipped message="too slow"/></testcase>
        </testsuite>
        """);
    assertEquals(
        List.of("2 tests of B: no library", "a.B.begins: too slow"),
        TestReports.inShort(TestReports.in(root).skippedByReason()));
  }

  /** Maven's runner names only the reason, JUnit's own says that it is the class's. */
  @Test
  void aClassThatIsSkippedForOneReasonIsOneSkip(@TempDir Path root) throws IOException {
    TestReports guest =
        ofTwoTests(root.resolve("guest"), "<skipped>parent was skipped: no library</skipped>");
    assertEquals("0 passed, 0 failed, 1 skipped", guest.count());
    assertEquals(List.of("a.B: no library"), names(guest.skipped()));
    TestReports host = ofTwoTests(root.resolve("host"), "<skipped message=\"no device\"/>");
    assertEquals(List.of("a.B: no library"), names(host.with(guest).skipped()));
    assertEquals("0 passed, 0 failed, 2 skipped", host.count());
    TestReports elsewhere = ofTwoTests(root.resolve("elsewhere"), "");
    assertEquals("2 passed, 0 failed, 0 skipped", guest.with(elsewhere).count());
    assertEquals("2 passed, 0 failed, 0 skipped", elsewhere.with(guest).count());
  }

  private static TestReports ofTwoTests(Path directory, String outcome) throws IOException {
    Files.createDirectories(directory);
    String test = "<testcase classname=\"a.B\" name=\"%s\">%s</testcase>";
    Files.writeString(
        directory.resolve("TEST-a.xml"),
        "<testsuite>%s%s</testsuite>"
            .formatted(test.formatted("reads()", outcome), test.formatted("ends()", outcome)));
    return TestReports.in(directory);
  }

  private static TestReports suite(Path directory, String outcome) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(
        directory.resolve("TEST-a.xml"),
        "<testsuite><testcase classname=\"a.B\" name=\"runs(int)[1]\">%s</testcase></testsuite>"
            .formatted(outcome));
    return TestReports.in(directory);
  }

  private static List<String> names(List<TestOutcome> tests) {
    return tests.stream().map(TestOutcome::toString).toList();
  }

  @Test
  void sparksTestsCountEachThoughTheyDifferInParenthesesOnly(@TempDir Path root)
      throws IOException {
    Path reports = Files.createDirectories(root.resolve("a/b/target/suite-reports"));
    Files.writeString(
        reports.resolve("TEST-a.Suite.xml"),
        """
        <testsuite>
          <testcase classname="a.Suite" name="caching (with replication)"/>
          <testcase classname="a.Suite" name="caching (on disk)"/>
        </testsuite>
        """);
    assertEquals(2, TestReports.read(root, "surefire|failsafe|suite", Instant.EPOCH).passed());
  }

  @Test
  void reportsOfEarlierRunsDoNotCount(@TempDir Path root) throws IOException {
    Path reports = Files.createDirectories(root.resolve("module/target/failsafe-reports"));
    Files.writeString(
        reports.resolve("TEST-a.BIT.xml"),
        "<testsuite><testcase classname=\"a.BIT\" name=\"passes\"/></testsuite>");
    assertEquals(
        List.of(),
        TestReports.read(root, "surefire|failsafe|suite", Instant.now().plusSeconds(60))
            .outcomes());
  }

  /** As when other lanes end clusters and the lab begins a suite anew. */
  @Test
  void whatOthersRemoveMeanwhileIsNotLookedAt(@TempDir Path root) throws Exception {
    for (Path reports :
        List.of(
            root.resolve("a/target/surefire-reports"),
            root.resolve("it-tests/b/target/surefire-reports"),
            root.resolve("it-tests/target/surefire-reports"))) {
      suite(reports, "");
    }
    CompletableFuture<Void> others = CompletableFuture.runAsync(() -> makeAndRemove(root));
    do {
      assertEquals(1, TestReports.read(root, "surefire", Instant.EPOCH).passed());
      assertEquals(1, TestReports.in(root.resolve("it-tests")).passed());
    } while (!others.isDone());
    others.get(1, TimeUnit.MINUTES);
  }

  private static void makeAndRemove(Path root) {
    try {
      for (int i = 0; i < 300; i++) {
        Path cluster = root.resolve("it-tests/target/clusters/c" + i);
        Files.createDirectories(cluster.resolve("logs"));
        Workspace.delete(cluster);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRunnerThatHasLeftNoDirectoryHasReportedNothing(@TempDir Path root) {
    assertEquals(List.of(), TestReports.in(root.resolve("none")).outcomes());
  }

  /** As of a runner that was killed while it wrote. */
  @Test
  void aReportThatCannotBeReadIsAFailureAndTheOthersCount(@TempDir Path root) throws IOException {
    Path reports = root.resolve("module/target/surefire-reports");
    suite(reports, "");
    Files.writeString(reports.resolve("TEST-a.Torn.xml"), "<testsuite><testcase");
    TestReports read = TestReports.read(root, "surefire", Instant.EPOCH);
    assertEquals(1, read.passed());
    assertEquals("TEST-a.Torn.xml", read.failed().get(0).name());
  }
}
