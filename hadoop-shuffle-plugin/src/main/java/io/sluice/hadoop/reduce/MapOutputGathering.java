package io.sluice.hadoop.reduce;

import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.NodeReader;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locates or stages the outputs of all maps, with one thread that asks which maps have ended and
 * several that fetch.
 *
 * <p>Thread contract: the task's thread; its own threads are gone when {@link #run} returns.
 * Ownership: {@link ReduceShuffle} closes it; it owns what was gathered until {@link #takeRuns}.
 * Failure: {@link IOException} when the shuffle is hopeless, as stock's policy defines it.
 */
final class MapOutputGathering implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MapOutputGathering.class);

  private static final long PROGRESS_PERIOD_MS = 1000;
  private static final long JOIN_TIMEOUT_MS = 5_000;
  private static final int DEFAULT_FETCHERS = 5;

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final JobConf job;
  private final TaskAttemptID reduce;
  private final NodeReader reader;
  private final StageArea stage;
  private final FailureReports failureReports;
  private final FetchPolicy policy;
  private final FetchSchedule schedule;
  private final StockFetch stock;
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Nothing is asked yet.
   *
   * @param reader of nodes' pools; the caller's, as is {@code stage}
   */
  MapOutputGathering(
      ShuffleConsumerPlugin.Context<?, ?> context,
      NodeReader reader,
      StageArea stage,
      FailureReports failureReports)
      throws IOException {
    this.context = context;
    this.job = context.getJobConf();
    this.reduce = (TaskAttemptID) context.getReduceId();
    this.reader = reader;
    this.stage = stage;
    this.failureReports = failureReports;
    this.policy = isFirstOfMany() ? FetchPolicy.of(job).ofFirstAttempt() : FetchPolicy.of(job);
    this.schedule =
        new FetchSchedule(
            job.getNumMapTasks(), policy, new Listener(), System::nanoTime, new Random());
    this.stock = new StockFetch(job, context.getReduceTask().getShuffleSecret());
  }

  /** How many threads fetch. */
  static int fetchers(JobConf job) {
    return Math.max(1, job.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, DEFAULT_FETCHERS));
  }

  /** Whether another attempt may follow, perhaps on a host that reaches more nodes. */
  private boolean isFirstOfMany() {
    return reduce.getId() == 0 && job.getMaxReduceAttempts() > 1;
  }

  /** The schedule's news go to the ApplicationMaster and into the counters. */
  private final class Listener implements FetchSchedule.Listener {
    @Override
    public void reportFetchFailure(TaskAttemptID map) {
      failureReports.add(map); // sent by the thread that may wait
    }

    @Override
    public void fetchFailed() {
      context.getFailedShuffleCounter().increment(1);
    }

    @Override
    public void progress(int doneMaps, int totalMaps) {
      context.getCopyPhase().set((float) doneMaps / totalMaps);
      context.getStatus().setStateString(doneMaps + " / " + totalMaps + " copied.");
    }
  }

  /** Waits until every map's output is located or staged. */
  void run() throws IOException, InterruptedException {
    try {
      startAll();
      while (!schedule.awaitDone(PROGRESS_PERIOD_MS)) {
        throwIfFailed();
        context.getReporter().progress();
        closeWithdrawn();
        failureReports.send();
      }
      throwIfFailed();
    } finally {
      schedule.end();
      // Only the poller sleeps; an interrupt in a fetcher would close the files it reads from.
      threads.stream().limit(1).forEach(Thread::interrupt);
      join();
    }
    closeWithdrawn();
    failureReports.send();
  }

  private void closeWithdrawn() throws IOException {
    Closer.all(schedule.takeWithdrawn());
  }

  /** Before the attempt fails, its reports are sent: the next attempt depends on them. */
  private void throwIfFailed() throws IOException, InterruptedException {
    try {
      schedule.throwIfFailed();
    } catch (IOException e) {
      try {
        failureReports.send();
      } catch (IOException unsent) {
        e.addSuppressed(unsent);
      }
      throw e;
    }
  }

  private void startAll() throws IOException {
    start(
        "sluice-completion-poller",
        new CompletionPoller(
            context.getUmbilical(),
            reduce,
            job.getNumReduceTasks(),
            schedule,
            System::nanoTime,
            Thread::sleep));
    long restartMs = JobSettings.timeouts(job).restartMs();
    FetchLog log = new FetchLog(context.getReporter(), System::nanoTime, restartMs);
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            reduce.getTaskID().getId(),
            context.getCodec(),
            FallbackPolicy.of(job),
            new ServicePorts(JobSettings.PORT_OFFSET.get(job::getTrimmed)),
            policy,
            restartMs,
            reader.windowCount() / Math.max(1, job.getNumMapTasks()),
            !isFirstOfMany());
    for (int i = 0; i < fetchers(job); i++) {
      start("sluice-fetcher-" + i, new HostFetcher(schedule, log, reader, stock, stage, settings));
    }
  }

  private void start(String name, Runnable body) throws IOException {
    // Newer JDKs do not hand the caller's identity to new threads.
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    Thread thread =
        new Thread(
            () ->
                user.doAs(
                    (PrivilegedAction<Void>)
                        () -> {
                          body.run();
                          return null;
                        }),
            name);
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  /** A fetcher may be waiting for a node whose outputs nobody needs any more. */
  private void join() throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_TIMEOUT_MS);
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
      if (thread.isAlive()) {
        LOG.warn(
            "{} has not ended within {} ms; the outputs that it still fetches are discarded",
            thread.getName(),
            JOIN_TIMEOUT_MS);
      }
    }
  }

  /** Hands over the runs of all maps, in the order of the maps, and counts them. */
  List<MergeRun> takeRuns() {
    int shuffledMaps = schedule.shuffledMaps();
    List<MergeRun> runs = schedule.takeAll();
    context.getShuffledMapsCounter().increment(shuffledMaps);
    context.getMergedMapOutputsCounter().increment(shuffledMaps);
    context.getReduceShuffleBytes().increment(runs.stream().mapToLong(MergeRun::lengthBytes).sum());
    return runs;
  }

  @Override
  public void close() throws IOException {
    Closer.all(schedule, stock);
  }

  /**
   * Asks the ApplicationMaster once a second which maps have ended, as stock's {@code EventFetcher}
   * does. Each question also shows that this task lives.
   *
   * <p>While only the last maps are missing it asks more often, since the reduce can do nothing
   * until it knows of them. It waits a twentieth of the time since the last news, so a straggler
   * costs few questions. Each question is a line of the ApplicationMaster's log, so the more
   * reduces there are, the less often each asks.
   *
   * <p>Thread contract: {@link #run} on a thread of its own, ended by an interrupt. Failure: after
   * {@link #MAX_FAILURES} failed questions in a row the schedule fails.
   */
  static final class CompletionPoller implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

    private static final int PERIOD_MS = 1000;
    private static final int SHORTEST_PERIOD_MS = 100;
    private static final int LAST_MAPS = 16;
    private static final int PERIODS_OF_A_WAIT = 20;

    /** Most of all reduces of a job together, unless one question a second of each is more. */
    private static final int MAX_QUESTIONS_PER_S = 200;

    private static final int MAX_FAILURES = 10;
    private static final long FAILURE_PERIOD_MS = 5000;
    private static final int MIN_EVENTS = 100;
    private static final int MAX_EVENTS = 10_000;
    private static final int MAX_EVENTS_OF_ALL_REDUCES = 3_000_000;

    private final TaskUmbilicalProtocol umbilical;
    private final TaskAttemptID reduce;
    private final FetchSchedule schedule;
    private final int reduces;
    private final int maxEvents;
    private final LongSupplier nanoClock;
    private final Pause pause;
    private int nextEvent;
    private long lastEventNs;

    /** {@link Thread#sleep(long)}, or a test's. */
    interface Pause {
      void ms(long ms) throws InterruptedException;
    }

    CompletionPoller(
        TaskUmbilicalProtocol umbilical,
        TaskAttemptID reduce,
        int reduces,
        FetchSchedule schedule,
        LongSupplier nanoClock,
        Pause pause) {
      this.umbilical = umbilical;
      this.reduce = reduce;
      this.schedule = schedule;
      this.nanoClock = nanoClock;
      this.pause = pause;
      this.lastEventNs = nanoClock.getAsLong();
      this.reduces = Math.max(1, reduces);
      this.maxEvents =
          Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, MAX_EVENTS_OF_ALL_REDUCES / this.reduces));
    }

    @Override
    public void run() {
      int failures = 0;
      try {
        while (!schedule.isOver()) {
          try {
            poll();
            failures = 0;
            long idleMs = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - lastEventNs);
            pause.ms(periodMs(schedule.remainingMaps(), reduces, idleMs));
          } catch (IOException e) {
            if (++failures >= MAX_FAILURES) {
              throw new IOException(failures + " questions for completed maps failed in a row", e);
            }
            LOG.info("Asking for completed maps failed, {} times in a row", failures, e);
            pause.ms(FAILURE_PERIOD_MS);
          }
        }
      } catch (InterruptedException e) {
        LOG.debug("No longer asking for completed maps");
      } catch (IOException e) {
        schedule.fail(e);
      } catch (RuntimeException | Error e) {
        schedule.fail(new IOException("asking for completed maps failed", e));
      }
    }

    /**
     * How long to wait before the next question.
     *
     * @param maps how many are not shuffled yet
     * @param reduces of the job
     * @param idleMs since the last news of a map
     */
    static long periodMs(int maps, int reduces, long idleMs) {
      if (maps > LAST_MAPS) {
        return PERIOD_MS;
      }
      long fairMs = TimeUnit.SECONDS.toMillis(1) * reduces / MAX_QUESTIONS_PER_S;
      long shortestMs = Math.max(SHORTEST_PERIOD_MS, fairMs);
      return Math.min(PERIOD_MS, Math.max(shortestMs, idleMs / PERIODS_OF_A_WAIT));
    }

    private void poll() throws IOException {
      TaskCompletionEvent[] events;
      do {
        events =
            umbilical
                .getMapCompletionEvents(reduce.getJobID(), nextEvent, maxEvents, reduce)
                .getMapTaskCompletionEvents();
        nextEvent += events.length;
        if (events.length > 0) {
          lastEventNs = nanoClock.getAsLong();
        }
        for (TaskCompletionEvent event : events) {
          schedule.resolve(event);
        }
      } while (events.length == maxEvents);
    }
  }
}
