package io.sluice.local.task;

import io.sluice.local.task.AttemptThread.AttemptProcesses;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;

/** A process that starts a program for an attempt, as streaming does, and kills the attempt's. */
public final class KilledProgram {
  private static final int LIMIT_S = 60;

  private KilledProgram() {}

  /** Ends with 0 if the program of that attempt, and of no other, is gone. */
  public static void main(String[] arguments) throws Exception {
    TaskAttemptID killed = new TaskAttemptID("1", 1, TaskType.MAP, 1, 0);
    Process program = start(killed);
    Process other = start(new TaskAttemptID("1", 1, TaskType.MAP, 2, 0));
    AttemptProcesses.kill(killed);
    boolean ended = program.waitFor(LIMIT_S, TimeUnit.SECONDS);
    boolean stays = other.isAlive();
    program.destroyForcibly();
    other.destroyForcibly();
    System.exit(ended && stays ? 0 : 1);
  }

  private static Process start(TaskAttemptID attempt) throws Exception {
    ProcessBuilder program = new ProcessBuilder("sh", "-c", "echo; exec sleep 86400");
    program.environment().put("mapreduce_task_attempt_id", attempt.toString());
    Process started = program.start();
    started.getInputStream().read(); // it runs, with its environment
    return started;
  }
}
