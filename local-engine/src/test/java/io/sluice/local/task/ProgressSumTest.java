package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.local.task.TaskState.ProgressSum;
import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

/** The sum that is kept is that of the tasks. */
class ProgressSumTest {
  private static final int TASKS = 1_000;
  private static final int STEPS = 20_000;

  private final ProgressSum sum = new ProgressSum();
  private final List<TaskState> tasks = new ArrayList<>();
  private final List<TaskAttemptID> running = new ArrayList<>();

  private void begin(int task) {
    running.set(task, tasks.get(task).begin(Thread::new, id -> {}).id());
  }

  private void step(int task, Random random) {
    TaskState of = tasks.get(task);
    TaskAttemptID attempt = running.get(task);
    if (attempt == null) {
      begin(task);
      return;
    }
    switch (random.nextInt(10)) {
      case 0 -> {
        of.failed(attempt, "on purpose", true);
        running.set(task, null);
      }
      case 1 -> {
        of.succeeded(attempt);
        if (random.nextBoolean()) { // all maps run again
          begin(task);
        }
      }
      default -> of.update(attempt, random.nextFloat(), "", new Counters());
    }
  }

  @Test
  void itIsThatOfTheTasksWhateverBecomesOfThem() {
    Random random = TestSeed.random();
    for (int i = 0; i < TASKS; i++) {
      TaskID id = new TaskID(new JobID("1", 1), TaskType.MAP, i);
      tasks.add(new TaskState(id, sum));
      running.add(null);
    }
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(TASKS), random);
    }
    double expected = tasks.stream().mapToDouble(TaskState::progress).average().orElseThrow();
    assertEquals(expected, sum.mean(TASKS), 1e-5);
    for (int i = 0; i < TASKS; i++) {
      begin(i);
      tasks.get(i).succeeded(running.get(i));
    }
    assertEquals(1f, sum.mean(TASKS), "exactly");
    assertEquals(0f, new ProgressSum().mean(0));
  }
}
