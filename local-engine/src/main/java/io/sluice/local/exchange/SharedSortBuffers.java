package io.sluice.local.exchange;

import io.sluice.local.conf.Isolation;
import io.sluice.local.conf.LocalSettings;
import io.sluice.local.conf.TaskConf;
import io.sluice.mapreduce.map.StockLimits;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progressable;

/**
 * The sort buffers that maps of a push or hybrid exchange share: each with maps of the same class
 * loader alone, by whose classes it serializes, compares and combines. What a map has put into one
 * cannot be taken out: if a map fails, all of them are thrown away.
 *
 * <p>Thread contract: safe from any thread. Ownership: its creator closes it, which frees all but
 * committed outputs. Failure: {@link IOException}.
 */
final class SharedSortBuffers implements Closeable {
  /** Less is not worth a buffer; what a {@code RecordCollector} has at least. */
  private static final int MIN_SORT_MB = 4;

  private final boolean push;
  private final int mostOfLoader;
  private final JobConf job;
  private final JobOutputs outputs;
  private final List<Stream> all = new ArrayList<>();
  private final ArrayDeque<Stream> idle = new ArrayDeque<>(); // of a hybrid exchange
  private int made;
  private int shared;
  private int users;
  private volatile boolean closed;

  private SharedSortBuffers(boolean push, JobConf job, int mapThreads, JobOutputs outputs) {
    this.push = push;
    this.outputs = outputs;
    this.mostOfLoader = count(push, job, mapThreads);
    this.job = new JobConf(job);
    long sortMb = job.getLong(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    if (push) {
      this.job.setNumReduceTasks(1);
    }
    long eachMb = Math.max(MIN_SORT_MB, sortMb * mapThreads / Math.max(1, mostOfLoader));
    this.job.setLong(MRJobConfig.IO_SORT_MB, Math.min(StockLimits.MAX_SORT_MB, eachMb));
  }

  /**
   * Those of a job. A hybrid exchange makes each when a map needs it.
   *
   * @param mapThreads maps that run at a time, whose sort buffers these take the place of
   */
  static SharedSortBuffers open(boolean push, JobConf job, int mapThreads, JobOutputs outputs)
      throws IOException, ClassNotFoundException {
    SharedSortBuffers streams = new SharedSortBuffers(push, job, mapThreads, outputs);
    try {
      for (int i = 0; push && i < job.getNumReduceTasks(); i++) {
        streams.all.add(streams.make(i, job.getClassLoader()));
      }
      return streams;
    } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
      Closer.after(e, streams);
      throw e;
    }
  }

  /** A sort buffer for maps of one class loader. */
  static final class Stream {
    private final ClassLoader loader;
    private final StreamTask task;
    private final SortedOutput<Object, Object> output;

    private Stream(ClassLoader loader, StreamTask task, SortedOutput<Object, Object> output) {
      this.loader = loader;
      this.task = task;
      this.output = output;
    }
  }

  private Stream make(int number, ClassLoader loader) throws IOException, ClassNotFoundException {
    JobConf conf = new TaskConf(job);
    conf.setClassLoader(loader);
    // Not the id of any map: those are numbered from the front.
    TaskID task = new TaskID(outputs.job(), TaskType.MAP, outputs.maps() + number);
    StreamTask of = new StreamTask(conf, new TaskAttemptID(task, 0));
    return new Stream(
        loader,
        of,
        new SortedOutput<>(conf, of.id(), of.reporter(), outputs.id(prefix() + number), outputs));
  }

  /** How many there are, as far as the process has memory for them. */
  static int count(boolean push, JobConf job, int mapThreads) {
    if (push) {
      return job.getNumReduceTasks();
    }
    boolean areShared = Isolation.of(job) == Isolation.NONE;
    int wanted =
        areShared ? LocalSettings.STREAMS.get(job::getTrimmed).orElse(mapThreads) : mapThreads;
    return Math.min(wanted, TaskMemory.mostSorting());
  }

  /** What the names of their outputs begin with. */
  static String prefix() {
    return "stream_";
  }

  /**
   * For a map that begins: one that no other fills now, if there is one.
   *
   * @param map is told of progress while somebody fills what it fills
   */
  Stream take(ClassLoader loader, Progressable map) throws IOException, ClassNotFoundException {
    Stream taken;
    int number;
    synchronized (this) {
      requireOpen();
      taken = push ? null : existing(loader);
      number = taken == null && !push ? made++ : 0;
      users++;
    }
    try {
      if (push) {
        all.forEach(each -> each.task.enter(map));
        return all.get(0);
      }
      if (taken == null) {
        taken = keep(make(number, loader)); // runs the user's code, so nobody waits for it
      }
      taken.task.enter(map);
      return taken;
    } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
      Closer.after(e, this::left);
      throw e;
    }
  }

  /** Takes in one more, unless other maps have made enough of its kind meanwhile. */
  private Stream keep(Stream fresh) throws IOException {
    Stream instead;
    synchronized (this) {
      instead = existing(fresh.loader);
      if (instead == null) {
        all.add(fresh);
        return fresh;
      }
    }
    fresh.output.close();
    return instead;
  }

  /** One that is idle, or else, if there are enough, one that another map fills; or null. */
  private Stream existing(ClassLoader loader) {
    for (Stream each : idle) {
      if (each.loader == loader) {
        idle.remove(each);
        return each;
      }
    }
    List<Stream> ofLoader = all.stream().filter(each -> each.loader == loader).toList();
    return ofLoader.size() < mostOfLoader ? null : ofLoader.get(shared++ % ofLoader.size());
  }

  /** The map has ended. */
  void giveBack(Stream taken, Progressable map) throws IOException {
    if (push) {
      all.forEach(each -> each.task.leave(map));
    } else {
      taken.task.leave(map);
      synchronized (this) {
        if (!idle.contains(taken)) {
          idle.addFirst(taken); // it is filled already; those that are not may stay so
        }
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
      closeAll();
    }
  }

  private void closeAll() throws IOException {
    Closer.all(all.stream().map(each -> each.output).toList());
  }

  /**
   * Takes in a record.
   *
   * @param taken the map's
   * @return its length in bytes
   */
  int collect(Stream taken, Object key, Object value, int partition)
      throws IOException, InterruptedException {
    requireOpen();
    if (!push) {
      return taken.output.collect(key, value, partition);
    }
    if (partition < 0 || partition >= all.size()) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    return all.get(partition).output.collect(key, value, 0);
  }

  /** What is to be done when all maps have ended, each by any thread. */
  synchronized List<Callable<Void>> lastSorts() {
    List<Callable<Void>> sorts = new ArrayList<>();
    for (Stream each : all) {
      sorts.add(
          () -> {
            synchronized (this) {
              requireOpen();
              users++;
            }
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(each.loader);
            try {
              each.output.flush();
            } finally {
              thread.setContextClassLoader(before);
              left();
            }
            return null;
          });
    }
    return sorts;
  }

  /** The runs of a partition, once all are flushed, of a job with that codec, or null. */
  synchronized List<MergeRun> runs(int partition, CompressionCodec codec) throws IOException {
    if (push) {
      return outputs.runs(all.get(partition).output.id(), 0, codec);
    }
    List<MergeRun> runs = new ArrayList<>();
    for (Stream stream : all) {
      runs.addAll(outputs.runs(stream.output.id(), partition, codec));
    }
    return runs;
  }

  /** Of all of them. */
  synchronized Counters counters() throws IOException {
    Counters sum = new Counters();
    for (Stream stream : all) {
      sum.incrAllCounters(stream.task.counters());
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
      closeAll();
    }
  }
}
