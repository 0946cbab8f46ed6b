package io.sluice.hadoop.testing;

import io.sluice.mapreduce.testing.Pair;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * A reduce task without YARN, whose ApplicationMaster says what the test wants, and knows what has
 * reached it through a stream.
 */
public final class ReduceSide extends ReduceTask {
  private static final int BYTES_BETWEEN_STEPS = 64;

  private final JobConf job;
  private final TaskReporter reporter;
  private final TaskUmbilicalProtocol umbilical = umbilical();
  private final Progress copyPhase = new Progress();

  /** What the ApplicationMaster has to say; may grow while the task runs. */
  public final List<TaskCompletionEvent> events = new CopyOnWriteArrayList<>();

  /** Attempts that were reported to it, as often as they were. */
  public final List<TaskAttemptID> reported = new CopyOnWriteArrayList<>();

  /** Runs now and then while a status is written, and once before its answer, in the sender. */
  public volatile Runnable whileSending = () -> {};

  public ReduceSide(JobConf job, TaskAttemptID id) {
    super("job.xml", id, id.getTaskID().getId(), job.getNumMapTasks(), 1);
    this.job = job;
    setConf(job);
    setShuffleSecret(TestJob.SECRET);
    reporter = new TaskReporter(new Progress(), null);
  }

  public ShuffleConsumerPlugin.Context<Object, Object> context(CompressionCodec codec)
      throws IOException {
    return new ShuffleConsumerPlugin.Context<>(
        getTaskID(),
        job,
        FileSystem.getLocal(job),
        umbilical,
        new LocalDirAllocator(MRConfig.LOCAL_DIR),
        reporter,
        codec,
        null,
        null,
        counter(TaskCounter.SPILLED_RECORDS),
        counter(TaskCounter.COMBINE_INPUT_RECORDS),
        counter(TaskCounter.SHUFFLED_MAPS),
        counter(TaskCounter.REDUCE_SHUFFLE_BYTES),
        counter(TaskCounter.FAILED_SHUFFLE),
        counter(TaskCounter.MERGED_MAP_OUTPUTS),
        status(),
        copyPhase,
        new Progress(),
        this,
        getMapOutputFile(),
        null);
  }

  private TaskUmbilicalProtocol umbilical() {
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {TaskUmbilicalProtocol.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getMapCompletionEvents" -> newEvents((Integer) arguments[1]);
                  case "statusUpdate" -> received((TaskStatus) arguments[1]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private MapTaskCompletionEventsUpdate newEvents(int from) {
    List<TaskCompletionEvent> known = new ArrayList<>(events);
    return new MapTaskCompletionEventsUpdate(
        known
            .subList(Math.min(from, known.size()), known.size())
            .toArray(TaskCompletionEvent[]::new),
        false);
  }

  /** As Hadoop's RPC: in the caller's thread, and without a lock on what is sent. */
  private AMFeedback received(TaskStatus sent) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sent.write(
        new DataOutputStream(
            new FilterOutputStream(bytes) {
              @Override
              public void write(int b) throws IOException {
                super.write(b);
                if (bytes.size() % BYTES_BETWEEN_STEPS == 0) {
                  whileSending.run();
                }
              }
            }));
    TaskStatus received = ReflectionUtils.newInstance(sent.getClass(), job);
    received.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    reported.addAll(received.getFetchFailedMaps());
    whileSending.run();
    AMFeedback feedback = new AMFeedback();
    feedback.setTaskFound(true);
    return feedback;
  }

  /** Share of the maps whose outputs are located or fetched. */
  public float progress() {
    return copyPhase.get();
  }

  public Counters.Counter counter(TaskCounter counter) {
    return reporter.getCounter(counter);
  }

  public TaskReporter reporter() {
    return reporter;
  }

  /** Everything that a shuffle delivers, in its order. */
  public static List<Pair> drain(RawKeyValueIterator records) throws IOException {
    List<Pair> result = new ArrayList<>();
    while (records.next()) {
      DataInputBuffer key = records.getKey();
      DataInputBuffer value = records.getValue();
      result.add(
          Pair.copy(
              key.getData(),
              key.getPosition(),
              key.getLength() - key.getPosition(),
              value.getData(),
              value.getPosition(),
              value.getLength() - value.getPosition()));
    }
    return result;
  }

  /** The one that stock's threads send and clear. */
  private TaskStatus status() {
    try {
      Field status = Task.class.getDeclaredField("taskStatus");
      status.setAccessible(true);
      return (TaskStatus) status.get(this);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends the task's status as stock's communication thread does, and clears it. */
  public void communicate() throws IOException {
    statusUpdate(umbilical);
  }
}
