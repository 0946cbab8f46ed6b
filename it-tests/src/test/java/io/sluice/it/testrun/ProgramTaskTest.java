package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramTaskTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final Console console =
      new Console(new PrintStream(output, true, StandardCharsets.UTF_8), false);

  @Test
  void whatIsShownIsChosenAndEverythingIsInTheLog() throws IOException {
    TaskResult result = task("echo shown; echo kept; exit 3", Duration.ofMinutes(5)).run(console);
    assertEquals(Optional.of("ended with exit status 3"), result.problem());
    assertEquals("shown", output.toString(StandardCharsets.UTF_8).lines().findFirst().orElse(""));
    assertEquals(List.of("shown", "kept"), Files.readAllLines(log()));
  }

  @Test
  void aProgramThatRunsTooLongIsEndedWithWhatItStarted() throws Exception {
    Path started = directory.resolve("started");
    // The child holds the pipe open, and would keep it so.
    TaskResult result =
        task("sleep 1000 & echo $! > " + started + "; wait", Duration.ofSeconds(2)).run(console);
    assertEquals(Optional.of("not done after 2 s and ended"), result.problem());
    long pid = Long.parseLong(Files.readString(started).strip());
    Optional<ProcessHandle> child = ProcessHandle.of(pid);
    if (child.isPresent()) {
      child.get().onExit().get(1, TimeUnit.MINUTES);
    }
    assertTrue(child.map(handle -> !handle.isAlive()).orElse(true), "the child has ended");
  }

  @Test
  void aProgramThatIsKilledCountsAsAFailureBesideTheTestsThatPassed() {
    TaskResult result = task("kill -9 $$", Duration.ofMinutes(5), "PASSED").run(console);
    assertEquals(
        List.of("task: ended with exit status 137"),
        result.reports().failed().stream().map(Object::toString).toList());
  }

  @Test
  void failedTestsAreNotCountedOnceMoreAsTheirRunnersStatus() {
    TaskResult result = task("exit 1", Duration.ofMinutes(5), "FAILED").run(console);
    assertEquals("0 passed, 1 failed, 0 skipped", result.reports().count());
    TaskResult unexplained = task("exit 1", Duration.ofMinutes(5), "PASSED").run(console);
    assertEquals("1 passed, 1 failed, 0 skipped", unexplained.reports().count());
    TaskResult killed = task("exit 137", Duration.ofMinutes(5), "FAILED").run(console);
    assertEquals("0 passed, 2 failed, 0 skipped", killed.reports().count());
  }

  private ProgramTask task(String script, Duration deadline) {
    return task(script, deadline, "PASSED");
  }

  private ProgramTask task(String script, Duration deadline, String outcome) {
    TestOutcome test = TestOutcome.of("a.B", TestOutcome.State.valueOf(outcome), "");
    return new ProgramTask(
        "task",
        1,
        new ProcessBuilder("bash", "-c", script),
        log(),
        deadline,
        line -> Optional.of(line).filter("shown"::equals),
        () -> new TestReports(List.of(test)),
        () -> new TestReports(List.of()));
  }

  private Path log() {
    return directory.resolve("logs/task.log");
  }
}
