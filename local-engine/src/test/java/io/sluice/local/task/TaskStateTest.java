package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.local.task.TaskState.ProgressSum;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

/** How long an attempt is silent is counted in looks: a process may be stopped meanwhile. */
class TaskStateTest {
  private static final TaskID TASK = new TaskID(new JobID("1", 1), TaskType.MAP, 0);
  private static final TaskAttemptID FIRST = new TaskAttemptID(TASK, 0);

  private final TaskState task = new TaskState(TASK, new ProgressSum());

  @Test
  void aTaskIsSilentForAsManyLooksAsFindNoNews() {
    task.begin(Thread::new, id -> {});
    assertEquals(1, task.silentPolls(FIRST), "whatever the clock says");
    assertEquals(2, task.silentPolls(FIRST));
    task.update(FIRST, 0.5f, "", new Counters());
    assertEquals(0, task.silentPolls(FIRST));
    assertEquals(1, task.silentPolls(FIRST));
  }
}
