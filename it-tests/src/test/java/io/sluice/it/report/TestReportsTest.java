package io.sluice.it.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
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
          <testcase classname="a.B" name="skips"><skipped message="no libucx"/></testcase>
          <testcase classname="a.B" name="aborts"><skipped type="x">org.opentest4j.TestAbortedException: no DAX
            at a.B</skipped></testcase>
        </testsuite>
        """);
    assertEquals(
        new TestReports(
            1,
            List.of("a.B.fails: 1 is not 2"),
            List.of("a.B.skips: no libucx", "a.B.aborts: no DAX")),
        TestReports.read(root, Instant.EPOCH));
  }

  @Test
  void reportsOfEarlierRunsDoNotCount(@TempDir Path root) throws IOException {
    Path reports = Files.createDirectories(root.resolve("module/target/failsafe-reports"));
    Files.writeString(
        reports.resolve("TEST-a.BIT.xml"),
        "<testsuite><testcase classname=\"a.BIT\" name=\"passes\"/></testsuite>");
    assertEquals(
        new TestReports(0, List.of(), List.of()),
        TestReports.read(root, Instant.now().plusSeconds(60)));
  }
}
