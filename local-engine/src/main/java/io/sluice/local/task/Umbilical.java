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
 * What Hadoop's task code reports to. By a proxy, because a method of the protocol names a class
 * that is its package's own.
 *
 * <p>Thread contract: safe from any thread. Failure: none that a task would count, since after
 * three it ends the process; {@link IllegalStateException} of what is to end.
 */
public final class Umbilical implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Umbilical.class);

  private final Function<TaskID, TaskState> tasks;
  private final TaskMeters meters;
  private final Limits limits;
  private final Thread thread = Thread.currentThread();

  /**
   * What an attempt may do.
   *
   * @param writeBytes most bytes to local files; negative for any amount
   * @param isAliveByPing whether an attempt that reports no progress is alive while it pings
   */
  record Limits(long writeBytes, boolean isAliveByPing) {}

  private Umbilical(Function<TaskID, TaskState> tasks, TaskMeters meters, Limits limits) {
    this.tasks = tasks;
    this.meters = meters;
    this.limits = limits;
  }

  /**
   * Of one attempt, which this thread runs.
   *
   * @param tasks of its job
   * @param meters what it uses
   * @param limits of it
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
            text.lines().findFirst().orElse("")); // diagnostics have all
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
      default -> null; // done, getTask, record ranges and checkpoints, of which nobody asks here
    };
  }

  /** The task asks again until it may, whatever interrupts it; only this ends that. */
  private boolean mayCommit(TaskAttemptID attempt) {
    if (!task(attempt).mayCommit(attempt)) {
      throw new IllegalStateException(attempt + " was told to end, and may not commit");
    }
    return true;
  }

  private TaskState task(Object attempt) {
    return tasks.apply(((TaskAttemptID) attempt).getTaskID());
  }

  /** After three exceptions in its own thread for that, Hadoop's task code ends the process. */
  private AMFeedback heard(TaskAttemptID attempt, TaskStatus status) {
    try {
      return update(attempt, status);
    } catch (RuntimeException | Error e) {
      if (Thread.currentThread() == thread) {
        throw e; // fails the attempt
      }
      LOG.warn("{}: what it told is not to be understood; it fails", attempt, e);
      task(attempt).kill(attempt, "what it told is not to be understood: " + e);
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

  /** A copy: the task goes on with its own. */
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
