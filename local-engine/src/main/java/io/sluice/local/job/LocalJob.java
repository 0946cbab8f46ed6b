package io.sluice.local.job;

import io.sluice.local.cache.JobCache;
import io.sluice.local.conf.LocalSettings;
import io.sluice.local.exchange.JobExchange;
import io.sluice.local.exchange.LocalCollector;
import io.sluice.local.exchange.LocalShuffle;
import io.sluice.local.history.JobHistory;
import io.sluice.local.task.AttemptRecord;
import io.sluice.local.task.AttemptStopped;
import io.sluice.local.task.RunningAttempts;
import io.sluice.local.task.TaskRun;
import io.sluice.local.task.TaskState;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job from its submission to its end: maps and reduces on threads of this process.
 *
 * <p>Thread contract: safe from any thread. Ownership: it ends by itself, and leaves no thread,
 * file or byte of the store. Failure: a task that fails as often as its job allows fails the job,
 * with that task's reason.
 */
public final class LocalJob implements JobView {
  private static final Logger LOG = LoggerFactory.getLogger(LocalJob.class);
  private static final String SECRET_ALGORITHM = "HmacSHA1";
  private static final String JOB = "job";
  private static final int KEY_BYTES = 32;
  private static final long END_S = 60;

  private final JobID id;
  private final Path submitDirectory;
  private final Path jobFile;
  private final JobConf conf;
  private final UserGroupInformation user;
  private final FileSystem files;
  private final JobHistory history;
  private final long startMs = System.currentTimeMillis();
  private final List<TaskState> maps = new ArrayList<>();
  private final List<TaskState> reduces = new ArrayList<>();
  private final List<TaskCompletionEvent> events = new ArrayList<>();
  private final AtomicInteger threads = new AtomicInteger();
  private final RunningAttempts running = new RunningAttempts();
  private Consumer<EndedJob> whenEnded = job -> {};
  private JobPriority priority;
  private final List<ExecutorService> pools = new ArrayList<>();
  private JobStatus.State state = JobStatus.State.PREP;
  private boolean isSetUp;
  private boolean killed;
  private long finishMs;
  private String failure = "";

  /** One that was submitted into a directory, which it deletes at its end. */
  public LocalJob(JobID id, Path submitDirectory, Credentials credentials) throws IOException {
    this.id = id;
    this.submitDirectory = submitDirectory;
    this.jobFile = new Path(submitDirectory, "job.xml");
    this.conf = new JobConf(jobFile);
    this.priority = JobPriority.valueOf(conf.getJobPriority().name());
    this.files = submitDirectory.getFileSystem(conf);
    this.user = UserGroupInformation.getCurrentUser();
    this.history = new JobHistory(conf, id, submitDirectory, startMs);
    conf.setCredentials(credentials);
    conf.setUser(user.getShortUserName());
    conf.setClass(
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        LocalCollector.class,
        org.apache.hadoop.mapred.MapOutputCollector.class);
    conf.setClass(
        MRConfig.SHUFFLE_CONSUMER_PLUGIN, LocalShuffle.class, ShuffleConsumerPlugin.class);
    conf.setBoolean("mapreduce.task.uberized", true); // a task never ends the process
    String[] localDirs = conf.getTrimmedStrings(MRConfig.LOCAL_DIR);
    for (int i = 0; i < localDirs.length; i++) {
      localDirs[i] = localDirs[i] + Path.SEPARATOR + "sluice-local" + Path.SEPARATOR + id;
    }
    conf.setStrings(MRConfig.LOCAL_DIR, localDirs);
  }

  /** Begins; returns at once. */
  public void start() {
    thread(JOB).newThread(this::run).start();
  }

  private java.util.concurrent.ThreadFactory thread(String what) {
    return body -> {
      Thread thread =
          new Thread(
              () -> asUser(body), "sluice-" + what + " " + id + " " + threads.incrementAndGet());
      thread.setDaemon(!what.equals(JOB)); // as with stock, what was submitted is done to its end
      thread.setContextClassLoader(conf.getClassLoader());
      return thread;
    };
  }

  /** Newer JDKs do not hand the caller's identity to new threads. */
  private void asUser(Runnable body) {
    user.doAs(
        (java.security.PrivilegedAction<Void>)
            () -> {
              body.run();
              return null;
            });
  }

  private void run() {
    JobContextImpl context = new JobContextImpl(conf, id);
    OutputCommitter committer = null;
    JobCache cache = null;
    Throwable why = null;
    try {
      history.submitted(jobFile.toString());
      cache = JobCache.localize(conf, id, this::isKilled);
      Thread.currentThread().setContextClassLoader(conf.getClassLoader());
      committer = committer(attemptOfNone());
      TaskSplitMetaInfo[] splits =
          SplitMetaInfoReader.readSplitMetaInfo(id, files, conf, submitDirectory);
      begin(splits.length);
      history.inited(splits.length, conf.getNumReduceTasks());
      committer.setupJob(context);
      setUp();
      runTasks(splits);
      committer.commitJob(context);
    } catch (Throwable e) {
      why = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      LOG.warn("{} failed", id, why);
      abort(committer, context);
    }
    try {
      history.ended(
          how(why),
          failure(why),
          reports(TaskType.MAP),
          reports(TaskType.REDUCE),
          new org.apache.hadoop.mapreduce.Counters(counters()));
      cleanUp(cache);
    } finally {
      EndNotice.send(conf, notice(how(why)));
      end(why);
    }
  }

  private void abort(OutputCommitter committer, JobContextImpl context) {
    if (committer != null) {
      try {
        committer.abortJob(context, isKilled() ? JobStatus.State.KILLED : JobStatus.State.FAILED);
      } catch (IOException | RuntimeException e) {
        LOG.warn("The output of {} could not be aborted", id, e);
      }
    }
  }

  private void cleanUp(JobCache cache) {
    try {
      if (cache != null) {
        cache.close();
      }
    } catch (IOException e) {
      LOG.warn("Something of the distributed cache of {} is left", id, e);
    }
    try {
      files.delete(submitDirectory, true);
      for (String directory : conf.getTrimmedStrings(MRConfig.LOCAL_DIR)) {
        FileSystem.getLocal(conf).delete(new Path(directory), true);
      }
    } catch (IOException e) {
      LOG.warn("Something of {} is left in {}", id, submitDirectory, e);
    }
  }

  private synchronized void begin(int mapCount) {
    if (killed) {
      throw new IllegalStateException(id + " was killed before it began");
    }
    state = JobStatus.State.RUNNING;
    for (int i = 0; i < mapCount; i++) {
      maps.add(new TaskState(new TaskID(id, TaskType.MAP, i)));
    }
    for (int i = 0; i < conf.getNumReduceTasks(); i++) {
      reduces.add(new TaskState(new TaskID(id, TaskType.REDUCE, i)));
    }
  }

  private synchronized void setUp() {
    isSetUp = true;
  }

  private void runTasks(TaskSplitMetaInfo[] splits) throws Exception {
    SecretKey secret = secret();
    try (JobExchange exchange =
        JobExchange.begin(id, ProcessStore.of(conf), splits.length, key())) {
      TaskRun tasks =
          new TaskRun(conf, jobFile.toString(), exchange, this::task, secret, this::committer);
      ExecutorService mapPool =
          pool("map", LocalSettings.MAP_THREADS.get(conf::getTrimmed), splits.length);
      ExecutorService reducePool =
          pool("reduce", LocalSettings.REDUCE_THREADS.get(conf::getTrimmed), reduces.size());
      try {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < splits.length; i++) {
          TaskSplitMetaInfo split = splits[i];
          all.add(
              submit(
                  maps.get(i),
                  split.getLocations(),
                  mapPool,
                  conf.getMaxMapAttempts(),
                  attempt -> {
                    tasks.map(attempt, split.getSplitIndex());
                    exchange.mapDone(attempt);
                  }));
        }
        int slowStart = (int) Math.ceil(splits.length * slowStart());
        for (TaskState reduce : reduces) {
          all.add(
              submit(
                  reduce,
                  null,
                  reducePool,
                  conf.getMaxReduceAttempts(),
                  attempt -> {
                    exchange.awaitMaps(slowStart, () -> {});
                    tasks.reduce(attempt, splits.length);
                  }));
        }
        awaitAll(all);
      } finally {
        exchange.end();
        stop(mapPool);
        stop(reducePool);
      }
    }
  }

  private float slowStart() {
    return conf.getFloat(MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, 0.05f);
  }

  private SecretKey secret() {
    byte[] bytes = TokenCache.getShuffleSecretKey(conf.getCredentials());
    if (bytes == null) {
      bytes = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(bytes);
    }
    return new SecretKeySpec(bytes, SECRET_ALGORITHM);
  }

  /** Drawn anew: nobody but this process reads what it writes. */
  private ShuffleKey key() {
    if (!CryptoUtils.isEncryptedSpillEnabled(conf)) {
      return null;
    }
    byte[] bytes = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(bytes);
    return new ShuffleKey(
        bytes,
        JobExchange.applicationId(id),
        conf.getInt(
            MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS,
            MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS));
  }

  private ExecutorService pool(String what, OptionalInt configured, int tasks) {
    int most = configured.orElse(Runtime.getRuntime().availableProcessors());
    ExecutorService made =
        Executors.newFixedThreadPool(Math.max(1, Math.min(most, tasks)), thread(what));
    synchronized (this) {
      pools.add(made);
      if (killed) {
        made.shutdownNow();
      }
    }
    return made;
  }

  private static void stop(ExecutorService pool) throws InterruptedException {
    pool.shutdownNow();
    if (!pool.awaitTermination(END_S, TimeUnit.SECONDS)) {
      LOG.warn("Some task does not end although it was interrupted");
    }
  }

  private CompletableFuture<Void> submit(
      TaskState task,
      String[] locations,
      ExecutorService pool,
      int mostAttempts,
      RunningAttempts.Body attempt) {
    return CompletableFuture.runAsync(
        () -> {
          for (int failures = 0; ; ) {
            TaskAttemptID id = task.begin(System.currentTimeMillis());
            history.attemptStarted(task.record(id), locations);
            try {
              running.run(id, attempt);
              long nowMs = System.currentTimeMillis();
              task.succeeded(id, nowMs);
              history.attemptSucceeded(task.record(id), task.startMs(), nowMs);
              addEvent(id, TaskCompletionEvent.Status.SUCCEEDED);
              return;
            } catch (Throwable e) {
              AttemptRecord record = task.record(id);
              String error = org.apache.hadoop.util.StringUtils.stringifyException(e);
              task.failed(id, error);
              boolean stopped = isKilled() || pool.isShutdown();
              boolean isKilled =
                  stopped || e instanceof AttemptStopped stop && !stop.countsAsFailure();
              JobStatus.State how = isKilled ? JobStatus.State.KILLED : JobStatus.State.FAILED;
              history.attemptFailed(record, how, error, System.currentTimeMillis());
              addEvent(
                  id,
                  isKilled ? TaskCompletionEvent.Status.KILLED : TaskCompletionEvent.Status.FAILED);
              failures += isKilled ? 0 : 1;
              if (stopped || failures == mostAttempts) {
                task.ended(
                    stopped ? TIPStatus.KILLED : TIPStatus.FAILED, System.currentTimeMillis());
                history.taskFailed(record, how, error, task.startMs(), System.currentTimeMillis());
                throw new CompletionException("Task failed " + task.id() + ": " + e, e);
              }
              LOG.warn("{} failed, and is tried again", id, e);
            }
          }
        },
        pool);
  }

  private synchronized void addEvent(TaskAttemptID attempt, TaskCompletionEvent.Status status) {
    events.add(
        new TaskCompletionEvent(
            events.size(),
            attempt,
            attempt.getTaskID().getId(),
            attempt.getTaskID().getTaskType() == TaskType.MAP,
            status,
            ""));
  }

  /** The first that fails ends all. */
  private static void awaitAll(List<CompletableFuture<Void>> all) throws InterruptedException {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    all.forEach(
        each ->
            each.exceptionally(
                e -> {
                  failed.completeExceptionally(e);
                  return null;
                }));
    CompletableFuture.anyOf(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)), failed)
        .join();
  }

  private TaskAttemptContextImpl attemptOfNone() {
    return new TaskAttemptContextImpl(conf, new TaskAttemptID(new TaskID(id, TaskType.MAP, 0), 0));
  }

  private OutputCommitter committer(TaskAttemptContextImpl attempt) throws Exception {
    boolean isNew = conf.getNumReduceTasks() > 0 ? conf.getUseNewReducer() : conf.getUseNewMapper();
    if (isNew) {
      return ReflectionUtils.newInstance(attempt.getOutputFormatClass(), conf)
          .getOutputCommitter(attempt);
    }
    return conf.getOutputCommitter();
  }

  private synchronized JobStatus.State how(Throwable why) {
    if (why == null) {
      return JobStatus.State.SUCCEEDED;
    }
    return killed ? JobStatus.State.KILLED : JobStatus.State.FAILED;
  }

  private org.apache.hadoop.mapred.JobStatus notice(JobStatus.State how) {
    return new org.apache.hadoop.mapred.JobStatus(
        id, 1, 1, 1, how.getValue(), conf.getUser(), conf.getJobName(), jobFile.toString(), "");
  }

  private static String failure(Throwable why) {
    return why == null ? "" : String.valueOf(why.getMessage());
  }

  private synchronized void end(Throwable why) {
    finishMs = System.currentTimeMillis();
    state = how(why);
    failure = failure(why);
    Map<TaskID, TaskState> tasks = new LinkedHashMap<>();
    Stream.concat(maps.stream(), reduces.stream()).forEach(task -> tasks.put(task.id(), task));
    whenEnded.accept(new EndedJob(status(), counters(), tasks, List.copyOf(events)));
  }

  private synchronized boolean isKilled() {
    return killed;
  }

  /** Ends it soon. */
  public synchronized void kill() {
    killed = true;
    pools.forEach(ExecutorService::shutdownNow);
  }

  /** What is left of it is given to that one when it has ended, however. */
  synchronized void onEnd(Consumer<EndedJob> whenEnded) {
    this.whenEnded = whenEnded;
  }

  /**
   * Ends one attempt soon, and no other.
   *
   * @param asFailure whether it counts among the failures that its task may have
   * @return false if it does not run
   */
  public boolean stop(TaskAttemptID attempt, boolean asFailure) {
    return running.stop(attempt, asFailure);
  }

  /** For whoever asks: all jobs of a process run beside one another. */
  public synchronized void setPriority(JobPriority priority) {
    this.priority = priority;
  }

  private synchronized TaskState task(TaskID task) {
    return (task.getTaskType() == TaskType.MAP ? maps : reduces).get(task.getId());
  }

  @Override
  public synchronized JobStatus status() {
    boolean done = state == JobStatus.State.SUCCEEDED;
    return new LocalJobStatus(
        id,
        isSetUp || done ? 1 : 0,
        done ? 1 : progress(maps),
        done ? 1 : progress(reduces),
        finishMs > 0 ? 1 : 0,
        state,
        priority,
        conf,
        jobFile.toString(),
        startMs,
        finishMs,
        failure);
  }

  private static float progress(List<TaskState> tasks) {
    return (float) tasks.stream().mapToDouble(TaskState::progress).average().orElse(0);
  }

  @Override
  public synchronized Counters counters() {
    Counters all = new Counters();
    Stream.concat(maps.stream(), reduces.stream())
        .forEach(task -> all.incrAllCounters(task.counters()));
    return all;
  }

  @Override
  public synchronized TaskReport[] reports(TaskType type) {
    List<TaskState> tasks =
        switch (type) {
          case MAP -> maps;
          case REDUCE -> reduces;
          default -> List.of();
        };
    return tasks.stream().map(TaskState::report).toArray(TaskReport[]::new);
  }

  @Override
  public synchronized TaskCompletionEvent[] events(int from, int most) {
    return EndedJob.part(events, from, most);
  }

  @Override
  public String[] diagnostics(TaskAttemptID attempt) {
    return task(attempt.getTaskID()).diagnostics(attempt);
  }
}
