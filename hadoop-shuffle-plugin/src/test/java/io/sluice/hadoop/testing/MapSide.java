package io.sluice.hadoop.testing;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;

/** A map task without YARN, which drives any collector as the real one does. */
public final class MapSide extends MapTask {
  private final Progress sortPhase = new Progress();
  private final TaskReporter reporter = new TaskReporter(new Progress(), null);
  private final JobConf job;

  /** What a mapper emits. */
  public record Emitted(Writable key, Writable value, int partition) {}

  public MapSide(JobConf job, TaskAttemptID id) {
    super("job.xml", id, id.getTaskID().getId(), new TaskSplitIndex(), 1);
    this.job = job;
    setConf(job);
    setShuffleSecret(TestJob.SECRET);
  }

  @Override
  public Progress getSortPhase() {
    return sortPhase;
  }

  public MapOutputCollector.Context context() {
    return new MapOutputCollector.Context(this, job, reporter);
  }

  public TaskReporter reporter() {
    return reporter;
  }

  public Counters.Counter counter(TaskCounter counter) {
    return reporter.getCounter(counter);
  }

  /** The collector that the task itself comes to by the job's list, which it does in private. */
  @SuppressWarnings("unchecked")
  public MapOutputCollector<Writable, Writable> createCollector() throws Exception {
    Method create =
        MapTask.class.getDeclaredMethod(
            "createSortingCollector", JobConf.class, TaskReporter.class);
    create.setAccessible(true);
    return (MapOutputCollector<Writable, Writable>) create.invoke(this, job, reporter);
  }

  /** The size of its output as the task reports it with its end, or -1 and a warning. */
  public long reportedOutputBytes() throws Exception {
    Method calculate = Task.class.getDeclaredMethod("calculateOutputSize");
    calculate.setAccessible(true);
    return (long) calculate.invoke(this);
  }

  /** The life of a collector in a task that succeeds. */
  public void run(MapOutputCollector<Writable, Writable> collector, List<Emitted> records)
      throws Exception {
    try (AutoCloseable closing = collector::close) {
      collector.init(context());
      for (Emitted record : records) {
        collector.collect(record.key(), record.value(), record.partition());
      }
      collector.flush();
      Objects.requireNonNull(closing);
    }
  }
}
