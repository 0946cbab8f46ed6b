package io.sluice.local.job;

import io.sluice.local.exchange.JobExchange;
import io.sluice.local.exchange.JobExchange.ExchangeMode;
import io.sluice.local.exchange.TaskPermits;
import io.sluice.local.task.TaskRun;
import io.sluice.local.task.TaskState;
import io.sluice.local.task.TaskState.ProgressSum;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.ShuffleKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all maps and reduces of a job.
 *
 * <p>Thread contract: {@link #run} by the job's thread, the rest from any. Failure: that of the
 * first task that fails finally.
 */
final class JobTasks {
  private static final Logger LOG = LoggerFactory.getLogger(JobTasks.class);

  private final JobID id;
  private final LocalJobSettings settings;
  private final JobConf conf;
  private final TaskSplitMetaInfo[] splits;
  private final JobThreads threads;
  private final AttemptLog log;
  private final TaskPermits slots;
  private final List<TaskState> maps = new ArrayList<>();
  private final List<TaskState> reduces = new ArrayList<>();
  private final ProgressSum mapProgress = new ProgressSum();
  private final ProgressSum reduceProgress = new ProgressSum();
  private final List<TaskPhase> phases = new ArrayList<>(); // these two guarded by this
  private boolean stopped;
  private volatile Counters sharedCounters = new Counters();

  /** Begins no task. */
  JobTasks(
      JobID id,
      LocalJobSettings settings,
      TaskSplitMetaInfo[] splits,
      JobThreads threads,
      AttemptLog log) {
    this.id = id;
    this.settings = settings;
    this.conf = settings.conf();
    this.splits = splits;
    this.threads = threads;
    this.log = log;
    this.slots =
        new TaskPermits(settings.mapThreads(), settings.sortThreads(), settings.reduceThreads());
    for (int i = 0; i < splits.length; i++) {
      maps.add(new TaskState(new TaskID(id, TaskType.MAP, i), mapProgress));
    }
    for (int i = 0; i < conf.getNumReduceTasks(); i++) {
      reduces.add(new TaskState(new TaskID(id, TaskType.REDUCE, i), reduceProgress));
    }
  }

  List<TaskState> maps() {
    return maps;
  }

  List<TaskState> reduces() {
    return reduces;
  }

  /** The progress of all maps, from 0 to 1. */
  float mapProgress() {
    return mapProgress.mean(maps.size());
  }

  /** The progress of all reduces, from 0 to 1. */
  float reduceProgress() {
    return reduceProgress.mean(reduces.size());
  }

  Stream<TaskState> all() {
    return Stream.concat(maps.stream(), reduces.stream());
  }

  TaskState task(TaskID task) {
    return (task.getTaskType() == TaskType.MAP ? maps : reduces).get(task.getId());
  }

  /** The counters of all tasks, also while they run. */
  Counters counters() {
    Counters all = new Counters();
    try {
      all().forEach(task -> all.incrAllCounters(task.counters()));
      all.incrAllCounters(sharedCounters);
      return all;
    } catch (LimitExceededException e) {
      return CounterSum.of(
          Stream.concat(all().map(TaskState::counters), Stream.of(sharedCounters)));
    }
  }

  /** Tells all tasks to end; no further task begins. */
  synchronized void stop() {
    stopped = true;
    phases.forEach(TaskPhase::stop);
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private long inputBytes() {
    return Stream.of(splits).mapToLong(TaskSplitMetaInfo::getInputDataLength).sum();
  }

  /** Runs all tasks. */
  void run(String jobFile) throws Exception {
    ProcessStore store = ProcessStore.of(conf);
    SizeAdvice advice = new SizeAdvice(id, settings.mapThreads(), store, System::nanoTime);
    advice.before(inputBytes()).ifPresent(LOG::info);
    try (JobExchange exchange =
            JobExchange.begin(id, store, splits.length, JobSecrets.outputs(conf, id));
        TaskRun tasks =
            new TaskRun(
                conf,
                jobFile,
                exchange,
                this::task,
                JobSecrets.shuffle(conf),
                settings.writeLimitBytes())) {
      int slowStart = settings.slowStart(splits.length);
      try (TaskPhase reducing =
          phase(
              "reduce",
              reduces,
              settings.reduceThreads(),
              conf.getMaxReduceAttempts(),
              settings.reduceFailuresPercent(),
              true,
              new TaskPhase.Attempts() {
                @Override
                public TaskPermits.Slot admit() throws InterruptedException {
                  exchange.awaitMaps(slowStart);
                  return slots.reduce();
                }

                @Override
                public void run(TaskAttemptID attempt, TaskPermits.Slot slot) throws Exception {
                  tasks.reduce(attempt, splits.length);
                }
              })) {
        runMaps(exchange, tasks, reducing);
        reducing.done().join();
        advice.after().ifPresent(LOG::info);
      } finally {
        exchange.end();
      }
    }
  }

  /**
   * Runs the maps. If a map fails that shares a sort buffer its records cannot be removed, so all
   * maps run again, each with its own buffer.
   */
  private void runMaps(JobExchange exchange, TaskRun tasks, TaskPhase reducing) throws Exception {
    // Only with pull can the output of a failed map be left out.
    ExchangeMode mode =
        settings.mapFailuresPercent() > 0
            ? ExchangeMode.PULL
            : ExchangeMode.of(conf, splits.length, settings.mapThreads(), inputBytes());
    LOG.info("{}: {} maps, {} reduces, exchange {}", id, maps.size(), reduces.size(), mode);
    while (true) {
      exchange.beginMaps(mode, conf, slots);
      boolean withdrawable = exchange.isWithdrawable();
      try (TaskPhase mapping =
          phase(
              "map",
              maps,
              Math.min(settings.mapThreads() + settings.sortThreads(), settings.mostMaps()),
              conf.getMaxMapAttempts(),
              settings.mapFailuresPercent(),
              withdrawable,
              new TaskPhase.Attempts() {
                @Override
                public TaskPermits.Slot admit() throws InterruptedException {
                  return slots.map();
                }

                @Override
                public void run(TaskAttemptID attempt, TaskPermits.Slot slot) throws Exception {
                  exchange.began(attempt, slot);
                  tasks.map(attempt, splits[attempt.getTaskID().getId()].getSplitIndex());
                }

                @Override
                public void succeeded(TaskAttemptID attempt) {
                  exchange.mapDone(attempt);
                }
              })) {
        CompletableFuture.anyOf(mapping.done(), reducing.failed()).join();
        inParallel(exchange.lastSorts());
        sharedCounters = exchange.counters();
        exchange.mapsDone();
        return;
      } catch (CompletionException e) {
        boolean isLast = maps.stream().anyMatch(TaskState::hasFailed);
        if (withdrawable || isLast || isStopped() || reducing.done().isCompletedExceptionally()) {
          throw e;
        }
        LOG.info(
            "{}: a map has failed that shared a sort buffer; all maps run again, each with"
                + " its own sort buffer",
            id);
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
        Executors.newFixedThreadPool(
            Math.min(sorts.size(), settings.sortThreads()), threads.of("sort"));
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

  private TaskPhase phase(
      String what,
      List<TaskState> tasks,
      int most,
      int mostFailures,
      int failedTasksPercent,
      boolean triesAgain,
      TaskPhase.Attempts attempts) {
    TaskPhase made =
        new TaskPhase(
            threads,
            what,
            tasks,
            most,
            mostFailures,
            failedTasksPercent,
            triesAgain,
            settings.timeoutMs(),
            attempts,
            log);
    synchronized (this) {
      phases.add(made);
      if (stopped) {
        made.stop();
      }
    }
    return made;
  }

  /** Makes the secrets of a job's tasks. Stateless. */
  static final class JobSecrets {
    private static final String ALGORITHM = "HmacSHA1"; // of stock's shuffle
    private static final int KEY_BYTES = 32;

    private JobSecrets() {}

    /**
     * The secret with which tasks of a cluster authenticate; Hadoop's task code wants it, and
     * nobody checks it here.
     */
    static SecretKey shuffle(JobConf conf) {
      byte[] bytes = TokenCache.getShuffleSecretKey(conf.getCredentials());
      return new SecretKeySpec(bytes == null ? random() : bytes, ALGORITHM);
    }

    /**
     * The key for the encryption of map outputs, or null. It is random, because only this process
     * reads the outputs.
     */
    static ShuffleKey outputs(JobConf conf, JobID id) {
      if (!CryptoUtils.isEncryptedSpillEnabled(conf)) {
        return null;
      }
      return new ShuffleKey(
          random(),
          JobExchange.applicationId(id),
          conf.getInt(
              MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS,
              MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS));
    }

    private static byte[] random() {
      byte[] bytes = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(bytes);
      return bytes;
    }
  }

  /**
   * Sums the counters of many tasks. Each task stays within Hadoop's limit of counters, but all
   * together may exceed it. Then the counters beyond the limit are left out, and not all.
   *
   * <p>Thread contract: one thread.
   */
  static final class CounterSum {
    private final Map<String, Map<String, Long>> byGroup = new LinkedHashMap<>();

    private CounterSum() {}

    /** The sum, with the first counters up to the limit. */
    static Counters of(Stream<Counters> all) {
      CounterSum sum = new CounterSum();
      all.forEach(sum::add);
      return sum.fitting();
    }

    private void add(Counters counters) {
      for (Counters.Group group : counters) {
        Map<String, Long> ofGroup =
            byGroup.computeIfAbsent(group.getName(), name -> new LinkedHashMap<>());
        for (Counters.Counter counter : group) {
          ofGroup.merge(counter.getName(), counter.getValue(), Long::sum);
        }
      }
    }

    private Counters fitting() {
      Counters counters = new Counters();
      int left = Limits.getCountersMax();
      for (Map.Entry<String, Map<String, Long>> group : byGroup.entrySet()) {
        for (Map.Entry<String, Long> counter : group.getValue().entrySet()) {
          if (left-- > 0) {
            counters.findCounter(group.getKey(), counter.getKey()).setValue(counter.getValue());
          }
        }
      }
      return counters;
    }
  }
}
