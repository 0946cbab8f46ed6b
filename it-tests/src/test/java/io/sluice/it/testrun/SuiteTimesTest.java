package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.Console;
import io.sluice.it.testrun.TestSummary.SuiteTimes;
import io.sluice.it.testrun.TestTask.TaskResult.SuiteTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuiteTimesTest {
  private static final SuiteTable TABLE =
      SuiteTable.parse(
          List.of(
              "| suite | lane | `./sluice test` | `--all` adds | share, s |",
              "|---|---|---|---|---|",
              "| unit tests, each class | unit | all | – | 3 |",
              "| SlowIT | host one | all | – | 60 |",
              "| lab store | lab | all | – | 300 |"));

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @Test
  void theSlowestComesFirstAndWhatExceedsItsShareIsMarked() {
    List<String> lines = print(false);
    assertEquals(
        List.of("lab store", "SlowIT", "LateTest", "2 others"),
        lines.subList(2, 6).stream().map(line -> line.split("  ")[0].strip()).toList());
    assertEquals(
        List.of("SlowIT", "LateTest"),
        lines.stream()
            .filter(line -> line.endsWith("SLOW"))
            .map(line -> line.split("  ")[0].strip())
            .toList());
  }

  @Test
  void onATerminalItIsRed() {
    assertTrue(
        print(true).stream()
            .anyMatch(line -> line.startsWith("\u001b[31mSlowIT") && line.endsWith("\u001b[0m")));
  }

  private List<String> print(boolean terminal) {
    List<SuiteTime> times =
        List.of(
            new SuiteTime("QuickTest", 10),
            new SuiteTime("SlowIT", 61_000),
            new SuiteTime("lab store", 200_000),
            new SuiteTime("LateTest", 3_500),
            new SuiteTime("OtherTest", 2_000));
    new SuiteTimes(times, TABLE)
        .print(new Console(new PrintStream(output, true, StandardCharsets.UTF_8), terminal));
    return output.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
