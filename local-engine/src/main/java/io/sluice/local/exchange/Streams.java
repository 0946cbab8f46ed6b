package io.sluice.local.exchange;

import io.sluice.local.conf.LocalSettings;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * The sort buffers that maps of a push or hybrid exchange share. What a map has put into one cannot
 * be taken out: if a map fails, all of them are thrown away.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes them closes them, which frees
 * all but committed outputs. Failure: {@link IOException}.
 */
final class Streams implements Closeable {
  /** Less is not worth a buffer; what a {@code RecordCollector} has at least. */
  private static final int MIN_SORT_MB = 4;

  private final boolean push;
  private final JobOutputs outputs;
  private final List<SortedOutput<Object, Object>> all = new ArrayList<>();
  private final List<StreamTask> tasks = new ArrayList<>();
  private final ArrayDeque<Integer> idle = new ArrayDeque<>(); // of a hybrid exchange
  private int shared;
  private int users;
  private volatile boolean closed;

  private Streams(boolean push, JobOutputs outputs) {
    this.push = push;
    this.outputs = outputs;
  }

  /**
   * Those of a job.
   *
   * @param mapThreads maps that run at a time, whose sort buffers these take the place of
   */
  static Streams open(boolean push, JobConf job, int mapThreads, JobOutputs outputs)
      throws IOException, ClassNotFoundException {
    int reduces = job.getNumReduceTasks();
    int count = push ? reduces : LocalSettings.STREAMS.get(job::getTrimmed).orElse(mapThreads);
    JobConf conf = new JobConf(job);
    long sortMb = conf.getLong(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    if (push) {
      conf.setNumReduceTasks(1);
    }
    conf.setLong(
        MRJobConfig.IO_SORT_MB, Math.max(MIN_SORT_MB, sortMb * mapThreads / Math.max(1, count)));
    Streams streams = new Streams(push, outputs);
    try {
      for (int i = 0; i < count; i++) {
        // Not the id of any map: those are numbered from the front.
        TaskID task = new TaskID(outputs.job(), TaskType.MAP, outputs.maps() + i);
        StreamTask of = new StreamTask(conf, new TaskAttemptID(task, 0));
        streams.tasks.add(of);
        streams.all.add(
            new SortedOutput<>(conf, of.id(), of.reporter(), outputs.id(prefix() + i), outputs));
        streams.idle.add(i);
      }
      return streams;
    } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
      Closing.after(e, streams);
      throw e;
    }
  }

  /** What the names of their outputs begin with. */
  static String prefix() {
    return "stream_";
  }

  /** For a map that begins: one that no other fills now, if there is one. */
  synchronized int take() throws IOException {
    requireOpen();
    users++;
    Integer taken = idle.poll();
    return taken != null ? taken : shared++ % all.size();
  }

  /** The map has ended. */
  void giveBack(int taken) throws IOException {
    synchronized (this) {
      if (!idle.contains(taken)) {
        idle.addFirst(taken); // it is filled already; those that are not may stay so
      }
    }
    left();
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("what maps share is thrown away");
    }
  }

  /** Somebody who was in a sort buffer is so no more. */
  private void left() throws IOException {
    boolean isLast;
    synchronized (this) {
      users--;
      isLast = closed && users == 0;
    }
    if (isLast) {
      Closing.all(all);
    }
  }

  /**
   * Takes in a record.
   *
   * @param taken the map's
   * @return its length in bytes
   */
  @SuppressWarnings("unchecked")
  <K, V> int collect(int taken, K key, V value, int partition)
      throws IOException, InterruptedException {
    requireOpen();
    if (!push) {
      return ((SortedOutput<K, V>) (SortedOutput<?, ?>) all.get(taken))
          .collect(key, value, partition);
    }
    if (partition < 0 || partition >= all.size()) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    return ((SortedOutput<K, V>) (SortedOutput<?, ?>) all.get(partition)).collect(key, value, 0);
  }

  /** What is to be done when all maps have ended, each by any thread. */
  List<Callable<Void>> lastSorts() {
    List<Callable<Void>> sorts = new ArrayList<>();
    for (SortedOutput<?, ?> each : all) {
      sorts.add(
          () -> {
            synchronized (this) {
              requireOpen();
              users++;
            }
            try {
              each.flush();
            } finally {
              left();
            }
            return null;
          });
    }
    return sorts;
  }

  /** The runs of a partition, once all are flushed. */
  List<MergeRun> runs(int partition) throws IOException {
    if (push) {
      return outputs.runs(all.get(partition).id(), 0);
    }
    List<MergeRun> runs = new ArrayList<>();
    for (SortedOutput<?, ?> stream : all) {
      runs.addAll(outputs.runs(stream.id(), partition));
    }
    return runs;
  }

  /** Of all of them. */
  Counters counters() throws IOException {
    Counters sum = new Counters();
    for (StreamTask task : tasks) {
      sum.incrAllCounters(task.counters());
    }
    sum.findCounter(TaskCounter.MAP_OUTPUT_RECORDS).setValue(0); // each map counts its own
    sum.findCounter(TaskCounter.MAP_OUTPUT_BYTES).setValue(0);
    return sum;
  }

  /** Waits for nobody: who is in a sort buffer, perhaps for ever, closes them when he leaves. */
  @Override
  public void close() throws IOException {
    boolean isUnused;
    synchronized (this) {
      isUnused = !closed && users == 0;
      closed = true;
    }
    if (isUnused) {
      Closing.all(all);
    }
  }
}
