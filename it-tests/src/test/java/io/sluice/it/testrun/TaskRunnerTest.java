package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TaskRunnerTest {
  private static final TestReports NONE = new TestReports(List.of());
  private static final long MACHINE_MB = 1000;
  private static final Duration LONG = Duration.ofMinutes(5);

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final Console console =
      new Console(new PrintStream(output, true, StandardCharsets.UTF_8), false);

  @Test
  void tasksRunSideBySideAndEveryLineNamesItsTask() {
    CyclicBarrier meeting = new CyclicBarrier(2);
    Function<Console, TaskResult> meets =
        tagged -> {
          await(meeting);
          tagged.say("one\ntwo");
          return passed();
        };
    List<TaskResult> results =
        new TaskRunner(2, LONG, () -> MACHINE_MB)
            .run(List.of(task("a", meets), task("b", meets)), console);
    assertTrue(results.stream().allMatch(TaskResult::passed), results.toString());
    List<String> lines = output.toString(StandardCharsets.UTF_8).lines().toList();
    assertEquals(8, lines.size(), "begins, two lines and an end of each: " + lines);
    assertTrue(lines.stream().allMatch(line -> line.matches("[ab] +\\| .*")), "untagged: " + lines);
  }

  @Test
  void aTaskThatThrowsIsBrokenAndTheOthersRun() {
    Function<Console, TaskResult> throwing =
        tagged -> {
          throw new IllegalStateException("no such file");
        };
    List<TaskResult> results =
        new TaskRunner(1, LONG, () -> MACHINE_MB)
            .run(List.of(task("broken", throwing), task("other", tagged -> passed())), console);
    assertFalse(results.get(0).passed());
    assertTrue(results.get(0).problem().orElse("").contains("no such file"));
    assertEquals(1, results.get(0).reports().failed().size(), "counts as one that failed");
    assertTrue(results.get(1).passed());
  }

  @Test
  void whatIsNotDoneInTimeIsInterruptedAndWhatHasNotBegunNeverDoes() {
    CountDownLatch never = new CountDownLatch(1);
    Function<Console, TaskResult> waits =
        tagged -> {
          try {
            never.await();
            return passed();
          } catch (InterruptedException e) {
            return TaskResult.broken("waits", "interrupted");
          }
        };
    List<TaskResult> results =
        new TaskRunner(1, Duration.ofMillis(200), () -> MACHINE_MB)
            .run(List.of(task("waits", waits), task("queued", tagged -> passed())), console);
    assertEquals(Optional.of("interrupted"), results.get(0).problem());
    assertFalse(results.get(1).passed());
    assertFalse(output.toString(StandardCharsets.UTF_8).contains("queued"));
  }

  /** Also though the first has not touched its memory, so that the machine still has it. */
  @Test
  void tasksThatNeedMoreThanThereIsTogetherRunOneAfterTheOther() {
    AtomicInteger atWork = new AtomicInteger();
    CountDownLatch secondHasToWait = new CountDownLatch(1);
    Console listening =
        new Console(
            new PrintStream(output, true, StandardCharsets.UTF_8) {
              @Override
              public void println(String line) {
                super.println(line);
                if (line.contains("waits for 600 MiB")) {
                  secondHasToWait.countDown();
                }
              }
            },
            false);
    Function<Console, TaskResult> alone =
        tagged -> {
          int together = atWork.incrementAndGet();
          boolean waited = await(secondHasToWait);
          atWork.decrementAndGet();
          return together == 1 && waited ? passed() : TaskResult.broken("task", "not alone");
        };
    List<TaskResult> results =
        new TaskRunner(2, LONG, () -> MACHINE_MB)
            .run(List.of(task("a", 600, alone), task("b", 600, alone)), listening);
    assertTrue(results.stream().allMatch(TaskResult::passed), results.toString());
  }

  @Test
  void aTaskThatNeedsMoreThanTheMachineHasRunsAlone() {
    List<TaskResult> results =
        new TaskRunner(2, LONG, () -> MACHINE_MB)
            .run(
                List.of(task("a", 5000, tagged -> passed()), task("b", 1, tagged -> passed())),
                console);
    assertTrue(results.stream().allMatch(TaskResult::passed), results.toString());
  }

  @Test
  void aTaskThatOnlySkipsHasNotPassed() {
    TestReports skipped =
        new TestReports(List.of(TestOutcome.of("a.b", TestOutcome.State.SKIPPED, "no device")));
    assertFalse(TaskResult.ofClasses("lane", skipped, NONE, Optional.empty()).passed());
  }

  private static TaskResult passed() {
    return TaskResult.ofClasses(
        "task",
        new TestReports(List.of(TestOutcome.of("a.b", TestOutcome.State.PASSED, ""))),
        NONE,
        Optional.empty());
  }

  private static void await(CyclicBarrier meeting) {
    try {
      meeting.await(LONG.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("the other task did not run beside this one", e);
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new IllegalStateException("the other task did not have to wait", e);
    }
  }

  private static TestTask task(String name, Function<Console, TaskResult> work) {
    return task(name, 1, work);
  }

  private static TestTask task(String name, int memoryMb, Function<Console, TaskResult> work) {
    return new TestTask() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int memoryMb() {
        return memoryMb;
      }

      @Override
      public TaskResult run(Console tagged) {
        return work.apply(tagged);
      }
    };
  }
}
