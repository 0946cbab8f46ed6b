package io.sluice.it.spark.jobs;

import io.sluice.it.spark.jobs.ResultSummary.PartitionSummary;
import io.sluice.it.spark.jobs.ShuffleCosts.TaskCosts;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextEvents;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShuffleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.SparkSession;

/**
 * One context, from its start to its end, and what the shuffles in it gave.
 *
 * <p>Not thread-safe. A shuffle that fails ends the context with what Spark throws.
 */
final class ContextRun {
  private final SparkSession session;
  private final List<ShuffleResult> results = new ArrayList<>();
  private final SortedMap<String, String> executorShuffleManagers = new TreeMap<>();

  private ContextRun(SparkSession session) {
    this.session = session;
  }

  /** The work in a context. */
  interface Work {
    void doIn(ContextRun run) throws Exception;
  }

  /** Opens a context, works in it and stops it. */
  static ContextReport of(String name, Map<String, String> settings, Work work) throws Exception {
    TaskCosts costs = new TaskCosts();
    EventCounter events = new EventCounter();
    SparkSession.Builder builder = SparkSession.builder().appName(name);
    settings.forEach(builder::config);
    SparkSession session = builder.getOrCreate();
    ContextRun run = new ContextRun(session);
    SortedMap<String, String> executorStates;
    String driverShuffleManager;
    String driverState;
    try {
      session.sparkContext().addSparkListener(costs);
      session.sparkContext().addSparkListener(events);
      ExecutorStates.awaitAll(session.sparkContext());
      work.doIn(run);
      executorStates = ExecutorStates.ask(new JavaSparkContext(session.sparkContext()));
      driverShuffleManager = PartitionSummary.shuffleManager(SparkEnv.get());
      driverState = SparkEnv.get().shuffleManager().toString();
    } finally {
      session.stop(); // and with it the listeners, once they have heard of everything
    }
    return new ContextReport(
        name,
        run.results,
        driverShuffleManager,
        driverState,
        run.executorShuffleManagers,
        executorStates,
        costs.total(),
        events.counts());
  }

  SparkSession session() {
    return session;
  }

  /**
   * Computes the rows of a shuffle, and keeps a digest of them.
   *
   * @param adaptiveReads how a query reads its shuffles, filled when the rows are made
   * @param rows makes them
   */
  void shuffle(String name, SortedSet<String> adaptiveReads, Callable<JavaRDD<ResultRow>> rows)
      throws Exception {
    session.sparkContext().setJobDescription(name);
    long startNs = System.nanoTime();
    ResultSummary result = ResultSummary.of(rows.call());
    long wallMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    executorShuffleManagers.putAll(result.shuffleManagers());
    results.add(
        new ShuffleResult(
            name, result.count(), result.digest(), result.sorted(), adaptiveReads, wallMs));
  }

  /**
   * Counts a context's events. Spark's listener thread calls it; the counts are whole, and may be
   * asked for by any thread, once the context has been stopped.
   */
  static final class EventCounter extends SparkListener {
    private volatile ContextEvents counts = new ContextEvents(0, 0);

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
      counts = new ContextEvents(counts.executorsRemoved() + 1, counts.speculativeTasks());
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart start) {
      if (start.taskInfo().speculative()) {
        counts = new ContextEvents(counts.executorsRemoved(), counts.speculativeTasks() + 1);
      }
    }

    ContextEvents counts() {
      return counts;
    }
  }
}
