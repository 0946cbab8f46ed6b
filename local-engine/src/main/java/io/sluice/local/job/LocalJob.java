package io.sluice.local.job;

import io.sluice.local.cache.JobCache;
import io.sluice.local.conf.LocalSettings;
import io.sluice.local.exchange.ExchangeMode;
import io.sluice.local.exchange.JobExchange;
import io.sluice.local.exchange.LocalCollector;
import io.sluice.local.exchange.LocalShuffle;
import io.sluice.local.exchange.Slots;
import io.sluice.local.task.TaskRun;
import io.sluice.local.task.TaskState;
import io.sluice.memory.store.ProcessStore;
import io.sluice.node.conf.Setting;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.CryptoUtils;
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
public final class LocalJob {
  private static final Logger LOG = LoggerFactory.getLogger(LocalJob.class);
  private static final String SECRET_ALGORITHM = "HmacSHA1";
  private static final int KEY_BYTES = 32;
  private static final long PROGRESS_MS = 1_000;
  private static final int REPORTS_IN_TIMEOUT = 10;

  private final JobID id;
  private final Path submitDirectory;
  private final Path jobFile;
  private final JobConf conf;
  private final UserGroupInformation user;
  private final FileSystem files;
  private final long startMs = System.currentTimeMillis();
  private final List<TaskState> maps = new ArrayList<>();
  private final List<TaskState> reduces = new ArrayList<>();
  private final List<TaskCompletionEvent> events = new ArrayList<>();
  private final JobThreads threads;
  private final int mapThreads;
  private final int sortThreads;
  private final Slots slots;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final List<Phase> phases = new ArrayList<>();
  private volatile Counters sharedCounters = new Counters();
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
    this.files = submitDirectory.getFileSystem(conf);
    this.user = UserGroupInformation.getCurrentUser();
    conf.setCredentials(credentials);
    conf.setUser(user.getShortUserName());
    conf.setClass(
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        LocalCollector.class,
        org.apache.hadoop.mapred.MapOutputCollector.class);
    conf.setClass(
        MRConfig.SHUFFLE_CONSUMER_PLUGIN, LocalShuffle.class, ShuffleConsumerPlugin.class);
    conf.setBoolean("mapreduce.task.uberized", true); // a task never ends the process
    conf.setLong(MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES, -1); // beyond it a task ends the process
    conf.setLong(MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES, -1); // this one, too
    if (conf.get(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL) == null) {
      long often = timeoutMs() > 0 ? timeoutMs() / REPORTS_IN_TIMEOUT : PROGRESS_MS;
      conf.setLong(
          MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, Math.max(1, Math.min(PROGRESS_MS, often)));
    }
    threads = new JobThreads(id, user, conf);
    mapThreads = threads(LocalSettings.MAP_THREADS);
    sortThreads = threads(LocalSettings.SORT_THREADS);
    slots = new Slots(mapThreads, sortThreads, threads(LocalSettings.REDUCE_THREADS));
    String[] localDirs = conf.getTrimmedStrings(MRConfig.LOCAL_DIR);
    for (int i = 0; i < localDirs.length; i++) {
      localDirs[i] = localDirs[i] + Path.SEPARATOR + "sluice-local" + Path.SEPARATOR + id;
    }
    conf.setStrings(MRConfig.LOCAL_DIR, localDirs);
  }

  private int threads(Setting<OptionalInt> setting) {
    return setting.get(conf::getTrimmed).orElse(Runtime.getRuntime().availableProcessors());
  }

  private long timeoutMs() {
    return conf.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS);
  }

  /** Begins; returns at once. */
  public void start() {
    threads.ofJob().newThread(this::run).start();
  }

  private void run() {
    JobContextImpl context = new JobContextImpl(conf, id);
    OutputCommitter committer = null;
    JobCache cache = null;
    Throwable why = null;
    try {
      cache = JobCache.localize(conf, id, this::isKilled);
      Thread.currentThread().setContextClassLoader(conf.getClassLoader());
      committer = committer(attemptOfNone());
      TaskSplitMetaInfo[] splits =
          SplitMetaInfoReader.readSplitMetaInfo(id, files, conf, submitDirectory);
      begin(splits.length);
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
      cleanUp(cache);
    } finally {
      end(why); // whatever happens: clients wait for it
    }
  }

  private void abort(OutputCommitter committer, JobContextImpl context) {
    if (committer != null) {
      try {
        committer.abortJob(context, isKilled() ? JobStatus.State.KILLED : JobStatus.State.FAILED);
      } catch (Throwable e) { // the user's code, which may fail with anything
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
        JobExchange.begin(
            id, ProcessStore.of(conf), splits.length, conf.getCompressMapOutput(), key())) {
      TaskRun tasks =
          new TaskRun(conf, jobFile.toString(), exchange, this::task, secret, this::committer);
      int slowStart = (int) Math.ceil(splits.length * slowStart());
      try (Phase reducing =
          phase(
              "reduce",
              reduces,
              threads(LocalSettings.REDUCE_THREADS),
              conf.getMaxReduceAttempts(),
              attempt -> {
                exchange.awaitMaps(slowStart, () -> task(attempt.getTaskID()).heard(attempt));
                try (Slots.Slot slot = slot(attempt, slots::reduce)) {
                  exchange.began(attempt, slot);
                  tasks.reduce(attempt, splits.length);
                }
              })) {
        runMaps(splits, exchange, tasks, reducing);
        reducing.done().join();
      } finally {
        exchange.end();
      }
    }
  }

  /** Records that a failed map has pushed cannot be taken back, so then all maps run once more. */
  private void runMaps(
      TaskSplitMetaInfo[] splits, JobExchange exchange, TaskRun tasks, Phase reducing)
      throws Exception {
    long inputBytes = Stream.of(splits).mapToLong(TaskSplitMetaInfo::getInputDataLength).sum();
    ExchangeMode mode = ExchangeMode.of(conf, splits.length, mapThreads, inputBytes);
    LOG.info("{}: {} maps, {} reduces, {} exchange", id, maps.size(), reduces.size(), mode);
    while (true) {
      exchange.beginMaps(mode, conf, mapThreads);
      boolean withdrawable = exchange.isWithdrawable();
      try (Phase mapping =
          phase(
              "map",
              maps,
              mapThreads + sortThreads,
              withdrawable ? conf.getMaxMapAttempts() : 1,
              attempt -> {
                try (Slots.Slot slot = slot(attempt, slots::map)) {
                  exchange.began(attempt, slot);
                  tasks.map(attempt, splits[attempt.getTaskID().getId()].getSplitIndex());
                }
                exchange.mapDone(attempt);
              })) {
        CompletableFuture.anyOf(mapping.done(), reducing.failed()).join();
        inParallel(exchange.lastSorts());
        sharedCounters = exchange.counters();
        exchange.mapsDone();
        return;
      } catch (CompletionException e) {
        if (withdrawable || isKilled() || reducing.done().isCompletedExceptionally()) {
          throw e;
        }
        LOG.warn("{}: a map has failed; all maps run again, and sort by themselves", id, e);
      }
      exchange.forgetMaps();
      mode = ExchangeMode.PULL;
    }
  }

  private void inParallel(List<Callable<Void>> sorts) throws InterruptedException {
    if (sorts.isEmpty()) {
      return;
    }
    ExecutorService pool =
        Executors.newFixedThreadPool(Math.min(sorts.size(), sortThreads), threads.of("sort"));
    try {
      for (Future<Void> each : pool.invokeAll(sorts)) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  /** Takes a slot. */
  private interface Taking {
    Slots.Slot take() throws InterruptedException;
  }

  private Slots.Slot slot(TaskAttemptID attempt, Taking taking) throws InterruptedException {
    Slots.Slot slot = taking.take();
    task(attempt.getTaskID()).heard(attempt); // it begins only now
    return slot;
  }

  private Phase phase(
      String what, List<TaskState> tasks, int most, int mostFailures, Phase.Attempts attempts) {
    Phase made =
        new Phase(threads, what, tasks, most, mostFailures, timeoutMs(), attempts, this::addEvent);
    synchronized (this) {
      phases.add(made);
      if (killed) {
        made.stop();
      }
    }
    return made;
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

  private synchronized void end(Throwable why) {
    finishMs = System.currentTimeMillis();
    if (why == null) {
      state = JobStatus.State.SUCCEEDED;
    } else {
      state = killed ? JobStatus.State.KILLED : JobStatus.State.FAILED;
      failure = String.valueOf(why.getMessage());
    }
    ended.complete(null);
  }

  private synchronized boolean isKilled() {
    return killed;
  }

  /** Ends it soon. */
  public synchronized void kill() {
    killed = true;
    phases.forEach(Phase::stop);
  }

  /** Done when it has ended, however. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  private synchronized TaskState task(TaskID task) {
    return (task.getTaskType() == TaskType.MAP ? maps : reduces).get(task.getId());
  }

  /** How it stands. */
  public synchronized JobStatus status() {
    boolean done = state == JobStatus.State.SUCCEEDED;
    return new LocalJobStatus(
        id,
        isSetUp || done ? 1 : 0,
        done ? 1 : progress(maps),
        done ? 1 : progress(reduces),
        finishMs > 0 ? 1 : 0,
        state,
        user.getShortUserName(),
        conf.getJobName(),
        jobFile.toString(),
        startMs,
        finishMs,
        failure);
  }

  private static float progress(List<TaskState> tasks) {
    return (float) tasks.stream().mapToDouble(TaskState::progress).average().orElse(0);
  }

  /** Of all tasks, also while they run. */
  public synchronized Counters counters() {
    Counters all = new Counters();
    Stream.concat(maps.stream(), reduces.stream())
        .forEach(task -> all.incrAllCounters(task.counters()));
    all.incrAllCounters(sharedCounters);
    return all;
  }

  /** Of all tasks of a kind. */
  public synchronized TaskReport[] reports(TaskType type) {
    List<TaskState> tasks =
        switch (type) {
          case MAP -> maps;
          case REDUCE -> reduces;
          default -> List.of();
        };
    return tasks.stream().map(TaskState::report).toArray(TaskReport[]::new);
  }

  /** What has ended, from one on. */
  public synchronized TaskCompletionEvent[] events(int from, int most) {
    int first = Math.min(Math.max(0, from), events.size());
    int end = (int) Math.min(events.size(), (long) first + Math.max(0, most));
    return events.subList(first, end).toArray(TaskCompletionEvent[]::new);
  }

  /**
   * Tells an attempt to end.
   *
   * @param shouldFail whether that counts as a failure of the task
   * @return false if it does not run
   */
  public boolean kill(TaskAttemptID attempt, boolean shouldFail) {
    return task(attempt.getTaskID()).kill(attempt, shouldFail);
  }

  /** Of an attempt. */
  public String[] diagnostics(TaskAttemptID attempt) {
    return task(attempt.getTaskID()).diagnostics(attempt);
  }
}
