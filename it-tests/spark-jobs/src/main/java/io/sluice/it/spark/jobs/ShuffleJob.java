package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.ExecutorStates.ThreadCpu;
import io.sluice.it.spark.jobs.ResultSummary.PartitionSummary;
import io.sluice.it.spark.jobs.ShuffleCosts.TaskCosts;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
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
    WorkloadRows rows = new WorkloadRows(session, arguments);
    long startNs = System.nanoTime();
    ResultSummary result = ResultSummary.of(rows.make());
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
        rows.adaptiveReads(),
        PartitionSummary.shuffleManager(SparkEnv.get()),
        result.shuffleManagers(),
        ExecutorStates.ask(context),
        after.minus(before),
        cpuAfterNs - cpuBeforeNs,
        serversAfterNs - serversBeforeNs,
        ThreadCpu.since(threadsBeforeNs, threadsAfterNs),
        wallMs);
  }

  /**
   * The output of the job, as one line of JSON.
   *
   * @param workload which shuffle
   * @param count rows of the result
   * @param digest of the result, whatever the order of its rows
   * @param sorted whether the keys of the result ascend through all its partitions; means something
   *     after a sort only
   * @param adaptiveReads how the final plan of a query reads its shuffles, such as {@code coalesced
   *     and skewed}
   * @param driverShuffleManager the class in use on the driver
   * @param executorShuffleManagers the classes that the tasks of the result found, by executor
   * @param executorStates what the executors' shuffle managers said of themselves in the end
   * @param costs of all tasks
   * @param processCpuNs processor time of the executors' processes, besides tasks that of the
   *     collector, the compiler, and the threads that serve and fetch
   * @param serverCpuNs processor time of the servers that executors write to, if there are any
   * @param threadCpuNs what of {@code processCpuNs} threads took that are still there, by their
   *     names
   * @param wallMs from the first stage to the last, without the start of the engine
   */
  public record ShuffleReport(
      Workload workload,
      long count,
      String digest,
      boolean sorted,
      SortedSet<String> adaptiveReads,
      String driverShuffleManager,
      SortedMap<String, String> executorShuffleManagers,
      SortedMap<String, String> executorStates,
      ShuffleCosts costs,
      long processCpuNs,
      long serverCpuNs,
      SortedMap<String, Long> threadCpuNs,
      long wallMs) {}

  /** Makes the rows of the {@link Workload} that arguments name, once for each object. */
  static final class WorkloadRows {
    private final SparkSession session;
    private final ShuffleArguments arguments;
    private final RddWorkloads rdds;
    private final SqlWorkloads queries;

    /** Sets what queries of the session go by. */
    WorkloadRows(SparkSession session, ShuffleArguments arguments) {
      this.session = session;
      this.arguments = arguments;
      this.rdds = new RddWorkloads(new JavaSparkContext(session.sparkContext()), arguments);
      this.queries = new SqlWorkloads(session, arguments, rdds);
    }

    /** How the final plan of a query reads its shuffles; filled when the rows are made. */
    SortedSet<String> adaptiveReads() {
      return queries.adaptiveReads();
    }

    /** The rows of the result. */
    JavaRDD<ResultRow> make() throws Exception {
      return switch (arguments.workload()) {
        case REPARTITION -> rdds.repartition();
        case SORT_BY_KEY -> rdds.sortByKey();
        case GROUP_BY_KEY -> rdds.groupByKey();
        case REDUCE_BY_KEY -> rdds.reduceByKey();
        case COGROUP -> rdds.cogroup();
        case SQL_REPARTITION, SQL_SMALL_BLOCKS -> queries.repartition();
        case SQL_SORT -> queries.sort();
        case SQL_JOIN -> queries.join();
        case SQL_LATE_BROADCAST -> queries.lateBroadcast();
        case SKEWED_GROUPS -> rdds.skewedGroups();
        case FEW_KEYS -> rdds.fewKeys();
        case WIDE -> rdds.wide();
        case LARGE_RECORDS -> rdds.largeRecords();
        case PAGE_RANK -> rdds.pageRank();
        case TRANSITIVE_CLOSURE -> rdds.transitiveClosure();
        case STREAM_AGGREGATE -> new StreamWorkloads(session, arguments).aggregate();
        case STREAM_STATE -> new StreamWorkloads(session, arguments).state();
        case KILLED_WHILE_MAPPING -> new LossWorkloads(session, rdds, arguments).whileMapping();
        case KILLED_BETWEEN_STAGES -> new LossWorkloads(session, rdds, arguments).betweenStages();
        case KILLED_WHILE_REDUCING -> new LossWorkloads(session, rdds, arguments).whileReducing();
        case OVERTAKEN -> new LossWorkloads(session, rdds, arguments).overtaken();
        case RELEASED -> new LossWorkloads(session, rdds, arguments).released();
      };
    }
  }
}
