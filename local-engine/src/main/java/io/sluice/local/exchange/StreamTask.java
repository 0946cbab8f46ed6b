package io.sluice.local.exchange;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.Progressable;

/**
 * Represents the task of a sort buffer that several maps share, because Hadoop's combiners and
 * counters need a task. It never runs. It reports progress to the maps that use the buffer, because
 * they wait while it is combined.
 *
 * <p>Thread contract: safe from any thread.
 */
final class StreamTask {
  private final MapTask task;
  private final Set<Progressable> maps = new CopyOnWriteArraySet<>();
  private final Task.TaskReporter reporter;

  /**
   * A task of a job.
   *
   * @param job settings of this task only; the task's own are added
   */
  StreamTask(JobConf job, TaskAttemptID id) throws IOException {
    task = new MapTask("", id, id.getTaskID().getId(), new TaskSplitIndex(), 1);
    task.localizeConfiguration(job);
    task.setConf(job);
    reporter = new Reporter(task, maps);
  }

  private static final class Reporter extends Task.TaskReporter {
    private final Set<Progressable> maps;

    Reporter(MapTask task, Set<Progressable> maps) {
      task.super(new Progress(), null); // its reporting thread is never started
      this.maps = maps;
    }

    @Override
    public void progress() {
      maps.forEach(Progressable::progress);
    }

    @Override
    public void setStatus(String status) {
      progress(); // a status text would belong to no map
    }

    @Override
    @SuppressWarnings("rawtypes") // as Hadoop declares it
    public void incrCounter(Enum key, long amount) {
      super.incrCounter(key, amount);
      progress();
    }

    @Override
    public void incrCounter(String group, String counter, long amount) {
      super.incrCounter(group, counter, amount);
      progress();
    }
  }

  /** A map begins to use the buffer. */
  void enter(Progressable map) {
    maps.add(map);
  }

  /** A map stops using the buffer. */
  void leave(Progressable map) {
    maps.remove(map);
  }

  TaskAttemptID id() {
    return task.getTaskID();
  }

  Task.TaskReporter reporter() {
    return reporter;
  }

  /** All counters. Hadoop shows them to its own package only. */
  Counters counters() throws IOException {
    try {
      Method get = Task.class.getDeclaredMethod("getCounters");
      get.setAccessible(true);
      return (Counters) get.invoke(task);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop has no Task.getCounters", e);
    }
  }
}
