package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Runs {@link Workload}s over made-up rows, one after the other in one session, and prints a {@link
 * ShuffleReport} for each. Everything else is the engine's configuration.
 */
public final class ShuffleJob {
  private final SparkSession session;
  private final JavaSparkContext context;
  private final TaskCosts costs = new TaskCosts();

  private ShuffleJob(SparkSession session) {
    this.session = session;
    this.context = new JavaSparkContext(session.sparkContext());
    session.sparkContext().addSparkListener(costs);
  }

  public static void main(String[] arguments) throws Exception {
    for (ShuffleReport report : run(ShuffleArguments.parse(arguments))) {
      System.out.println(new ObjectMapper().writeValueAsString(report));
    }
  }

  static List<ShuffleReport> run(List<ShuffleArguments> all) throws Exception {
    SparkSession session = SparkSession.builder().appName(all.get(0).toString()).getOrCreate();
    try {
      ShuffleJob job = new ShuffleJob(session);
      List<ShuffleReport> reports = new ArrayList<>();
      for (ShuffleArguments arguments : all) {
        reports.add(job.run(arguments));
      }
      return reports;
    } finally {
      session.stop();
    }
  }

  private ShuffleReport run(ShuffleArguments arguments) throws Exception {
    long cpuBeforeNs = ExecutorStates.processCpuNs(context);
    long serversBeforeNs = ExecutorStates.serverCpuNs(context);
    SortedMap<String, Long> threadsBeforeNs = ExecutorStates.threadCpuNs(context);
    ShuffleCosts before = costs.total(session.sparkContext());
    RddWorkloads rdds = new RddWorkloads(context, arguments);
    SqlWorkloads queries = new SqlWorkloads(session, arguments, rdds);
    long startNs = System.nanoTime();
    ResultSummary result =
        ResultSummary.of(PlannedShuffles.rows(session, arguments, rdds, queries));
    long wallMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    ShuffleCosts after = costs.total(session.sparkContext());
    long cpuAfterNs = ExecutorStates.processCpuNs(context);
    long serversAfterNs = ExecutorStates.serverCpuNs(context);
    SortedMap<String, Long> threadsAfterNs = ExecutorStates.threadCpuNs(context);
    return new ShuffleReport(
        arguments.workload(),
        result.count(),
        result.digest(),
        result.sorted(),
        queries.adaptiveReads(),
        PartitionSummary.shuffleManager(SparkEnv.get()),
        result.shuffleManagers(),
        ExecutorStates.ask(context),
        after.minus(before),
        cpuAfterNs - cpuBeforeNs,
        serversAfterNs - serversBeforeNs,
        ThreadCpu.since(threadsBeforeNs, threadsAfterNs),
        wallMs);
  }
}
