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
 * Stands for a task where the records of many are sorted and combined together: Hadoop's combiners
 * and counters belong to one. It never runs. What it reports as progress is that of the maps that
 * fill the sort buffer meanwhile, and wait while it is combined.
 *
 * <p>Thread contract: as its counters, safe from any thread.
 */
final class StreamTask {
  private final MapTask task;
  private final Set<Progressable> maps = new CopyOnWriteArraySet<>();
  private final Task.TaskReporter reporter;

  /**
   * One of a job.
   *
   * @param job settings of its own, which get what settings of a task have
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
      task.super(new Progress(), null); // it is never told to report
      this.maps = maps;
    }

    @Override
    public void progress() {
      maps.forEach(Progressable::progress);
    }

    @Override
    public void setStatus(String status) {
      progress(); // the text is of no map
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

  /** A map begins to fill it. */
  void enter(Progressable map) {
    maps.add(map);
  }

  /** A map has ended. */
  void leave(Progressable map) {
    maps.remove(map);
  }

  TaskAttemptID id() {
    return task.getTaskID();
  }

  Task.TaskReporter reporter() {
    return reporter;
  }

  /** All that was counted. Hadoop hides them from all but its own package. */
  Counters counters() throws IOException {
    try {
      Method get = Task.class.getDeclaredMethod("getCounters");
      get.setAccessible(true);
      return (Counters) get.invoke(task);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop does not give the counters of a task", e);
    }
  }
}
