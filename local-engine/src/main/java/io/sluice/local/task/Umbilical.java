package io.sluice.local.task;

import io.sluice.local.count.TaskMeters;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the reports of Hadoop's task code. It is a proxy, because a method of the protocol has a
 * parameter class that is visible to its package only.
 *
 * <p>Thread contract: safe from any thread. Failure: no exceptions on the reporting thread, because
 * Hadoop ends the process after three; {@link IllegalStateException} for an attempt that was told
 * to end.
 */
public final class Umbilical implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Umbilical.class);

  private final Function<TaskID, TaskState> tasks;
  private final TaskMeters meters;
  private final Limits limits;
  private final Thread thread = Thread.currentThread();

  /**
   * The limits of an attempt.
   *
   * @param writeBytes most bytes to local files; negative for no limit
   * @param isAliveByPing whether pings count as progress
   */
  record Limits(long writeBytes, boolean isAliveByPing) {}

  private Umbilical(Function<TaskID, TaskState> tasks, TaskMeters meters, Limits limits) {
    this.tasks = tasks;
    this.meters = meters;
    this.limits = limits;
  }

  /**
   * Makes the protocol of one attempt, which the calling thread runs.
   *
   * @param tasks of the job
   * @param meters of the attempt
   * @param limits of the attempt
   */
  static TaskUmbilicalProtocol of(
      Function<TaskID, TaskState> tasks, TaskMeters meters, Limits limits) {
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            Umbilical.class.getClassLoader(),
            new Class<?>[] {TaskUmbilicalProtocol.class},
            new Umbilical(tasks, meters, limits));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "statusUpdate" -> heard((TaskAttemptID) arguments[0], (TaskStatus) arguments[1]);
      case "commitPending", "preempted" -> {
        update((TaskAttemptID) arguments[0], (TaskStatus) arguments[1]);
        yield null;
      }
      case "canCommit" -> mayCommit((TaskAttemptID) arguments[0]);
      case "reportDiagnosticInfo", "shuffleError", "fsError", "fatalError" -> {
        String text = (String) arguments[1];
        LOG.info(
            "{} of {}: {}",
            method.getName(),
            arguments[0],
            text.lines().findFirst().orElse("")); // diagnostics have the whole text
        task(arguments[0]).diagnose((TaskAttemptID) arguments[0], text);
        yield null;
      }
      case "getMapCompletionEvents" ->
          new MapTaskCompletionEventsUpdate(TaskCompletionEvent.EMPTY_ARRAY, false);
      case "getProtocolVersion" -> TaskUmbilicalProtocol.versionID;
      case "getProtocolSignature" -> new ProtocolSignature(TaskUmbilicalProtocol.versionID, null);
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> proxy == arguments[0];
      case "toString" -> "the job of this process";
      default -> null; // done, getTask, record ranges and checkpoints are not used here
    };
  }

  /**
   * Hadoop's task code asks until it may commit, and ignores interrupts; only an exception ends
   * that.
   */
  private boolean mayCommit(TaskAttemptID attempt) {
    if (!task(attempt).mayCommit(attempt)) {
      throw new IllegalStateException(attempt + " was told to end, so it may not commit");
    }
    return true;
  }

  private TaskState task(Object attempt) {
    return tasks.apply(((TaskAttemptID) attempt).getTaskID());
  }

  /**
   * Handles a report. On Hadoop's reporting thread exceptions are caught, because Hadoop ends the
   * process after three.
   */
  private AMFeedback heard(TaskAttemptID attempt, TaskStatus status) {
    try {
      return update(attempt, status);
    } catch (RuntimeException | Error e) {
      if (Thread.currentThread() == thread) {
        throw e; // fails the attempt
      }
      LOG.warn("{}: its status report cannot be read; the attempt fails", attempt, e);
      task(attempt).kill(attempt, "its status report cannot be read: " + e);
      AMFeedback feedback = new AMFeedback();
      feedback.setTaskFound(true);
      return feedback;
    }
  }

  private void requireLittleWritten(TaskAttemptID attempt, Counters counters) {
    if (limits.writeBytes() >= 0) {
      long bytes = counters.findCounter("file", FileSystemCounter.BYTES_WRITTEN).getValue();
      if (bytes > limits.writeBytes()) {
        task(attempt)
            .kill(
                attempt,
                "it has written %s bytes to local files; %s allows %s"
                    .formatted(
                        bytes, MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES, limits.writeBytes()));
      }
    }
  }

  /** Stores a copy of the report, because the task changes its own. */
  private AMFeedback update(TaskAttemptID attempt, TaskStatus status) {
    AMFeedback feedback = new AMFeedback();
    if (status == null) {
      feedback.setTaskFound(
          limits.isAliveByPing() ? task(attempt).heard(attempt) : task(attempt).isAtWork(attempt));
      return feedback;
    }
    Counters counters = new Counters();
    counters.incrAllCounters(status.getCounters());
    meters.putInto(counters);
    requireLittleWritten(attempt, counters);
    boolean isMap = status.getIsMap();
    task(attempt)
        .reached(
            attempt,
            isMap ? status.getMapFinishTime() : status.getShuffleFinishTime(),
            status.getSortFinishTime());
    feedback.setTaskFound(
        task(attempt).update(attempt, status.getProgress(), status.getStateString(), counters));
    return feedback;
  }
}
