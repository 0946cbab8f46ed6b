package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.Leftovers;
import io.sluice.local.task.AttemptThread.AttemptProcesses;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left of an attempt's programs that start others meanwhile. */
@Timeout(120)
class AttemptProcessesTest {
  private static final String STARTS_MANY =
      "i=0; while [ $i -lt 2000 ]; do sleep 86400 & i=$((i + 1)); [ $i != 20 ] || echo; done; wait";

  private static Process start(TaskAttemptID attempt, String script) throws IOException {
    ProcessBuilder program = new ProcessBuilder("sh", "-c", script);
    program.environment().put("mapreduce_task_attempt_id", attempt.toString());
    return program.start();
  }

  private static List<ProcessHandle> left(TaskAttemptID attempt) {
    return Leftovers.programs(attempt.toString());
  }

  @Test
  void noneIsLeftThatWasStartedMeanwhile() throws Exception {
    TaskAttemptID killed = new TaskAttemptID("1", 1, TaskType.MAP, 1, 0);
    TaskAttemptID stays = new TaskAttemptID("1", 1, TaskType.MAP, 2, 0);
    Process program = start(killed, STARTS_MANY);
    Process other = start(stays, "echo; exec sleep 86400");
    try {
      program.getInputStream().read(); // it is at it
      other.getInputStream().read();
      Thread.currentThread().interrupt(); // as that of an attempt which is told to end
      AttemptProcesses.kill(killed);
      assertTrue(Thread.interrupted());
      assertTrue(program.waitFor(100, TimeUnit.SECONDS));
      for (ProcessHandle dying : left(killed)) { // on a busy machine not at once
        dying.onExit().get(60, TimeUnit.SECONDS);
      }
      assertEquals(List.of(), left(killed));
      assertTrue(other.isAlive());
    } finally {
      Thread.interrupted();
      left(killed).forEach(ProcessHandle::destroyForcibly);
      other.destroyForcibly();
    }
  }
}
