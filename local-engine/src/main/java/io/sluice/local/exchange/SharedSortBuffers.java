package io.sluice.local.exchange;

import io.sluice.local.conf.LocalSettings;
import io.sluice.local.conf.LocalSettings.Isolation;
import io.sluice.local.conf.TaskConf;
import io.sluice.local.exchange.JobOutputs.SortedOutput;
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
 * The sort buffers that maps of a push or hybrid exchange share. Maps share a buffer only if they
 * have the same class loader, which serializes, compares and combines the records. The records of
 * one map cannot be removed from a buffer: if a map fails, all buffers are dropped.
 *
 * <p>Thread contract: safe from any thread. Ownership: its creator closes it, which frees all
 * except committed outputs. Failure: {@link IOException}.
 */
final class SharedSortBuffers implements Closeable {
  /** The least length of a {@code RecordCollector}'s buffer. */
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
   * Opens the buffers of a job. A hybrid exchange makes each when a map needs it.
   *
   * @param mapThreads maps that run at a time
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
    // An id beyond those of the maps.
    TaskID task = new TaskID(outputs.job(), TaskType.MAP, outputs.maps() + number);
    StreamTask of = new StreamTask(conf, new TaskAttemptID(task, 0));
    return new Stream(
        loader,
        of,
        new SortedOutput<>(conf, of.id(), of.reporter(), outputs.id(prefix() + number), outputs));
  }

  /** The number of buffers, limited by the memory of the process. */
  static int count(boolean push, JobConf job, int mapThreads) {
    if (push) {
      return job.getNumReduceTasks();
    }
    boolean areShared = Isolation.of(job) == Isolation.NONE;
    int wanted =
        areShared ? LocalSettings.STREAMS.get(job::getTrimmed).orElse(mapThreads) : mapThreads;
    return Math.min(wanted, TaskMemory.mostSorting());
  }

  /** The prefix of the names of their outputs. */
  static String prefix() {
    return "stream_";
  }

  /**
   * Takes a buffer for a map that begins, if possible one that no other map fills now.
   *
   * @param map gets progress while any map fills its buffer
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
        taken = keep(make(number, loader)); // without the lock, because it runs the user's code
      }
      taken.task.enter(map);
      return taken;
    } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
      Closer.after(e, this::left);
      throw e;
    }
  }

  /** Adds a new buffer, unless other maps have made enough meanwhile. */
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

  /** An idle buffer; else, if there are enough, one that another map fills; else null. */
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
          idle.addFirst(taken); // prefers buffers that have records
        }
      }
    }
    left();
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(
          "the shared sort buffers were dropped, because a map failed or the job ends");
    }
  }

  /** A user of a sort buffer has left it. */
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
   * Adds a record.
   *
   * @param taken the map's sort buffer
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

  /** The last sorts, after all maps, each on any thread. */
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

  /** The runs of a partition, after all buffers were flushed. */
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

  /** The counters of all buffers. */
  synchronized Counters counters() throws IOException {
    Counters sum = new Counters();
    for (Stream stream : all) {
      sum.incrAllCounters(stream.task.counters());
    }
    sum.findCounter(TaskCounter.MAP_OUTPUT_RECORDS).setValue(0); // each map counts its own
    sum.findCounter(TaskCounter.MAP_OUTPUT_BYTES).setValue(0);
    return sum;
  }

  /** Does not wait. If threads still use the buffers, the last of them closes the buffers. */
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
