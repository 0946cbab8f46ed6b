package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.report.Console;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TestRunTest {
  @Test
  void theLongestBeginsFirst() {
    Map<TestTask, Integer> sharesS =
        Map.of(new Named("spark"), 700, new Named("foreign"), 150, new Named("lab faults"), 610);
    assertEquals(
        List.of("spark", "lab faults", "foreign"),
        TestRun.longestFirst(sharesS).stream().map(TestTask::name).toList());
  }

  private record Named(String name) implements TestTask {
    @Override
    public int memoryMb() {
      return 1;
    }

    @Override
    public TaskResult run(Console console) {
      throw new AssertionError("nothing is to run");
    }
  }
}
