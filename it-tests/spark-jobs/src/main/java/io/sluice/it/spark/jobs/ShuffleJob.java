package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Runs one {@link Workload} over made-up rows and prints a {@link ShuffleReport}. Everything else
 * is the engine's configuration.
 */
public final class ShuffleJob {
  private ShuffleJob() {}

  public static void main(String[] arguments) throws JsonProcessingException {
    ShuffleReport report = run(ShuffleArguments.parse(arguments));
    System.out.println(new ObjectMapper().writeValueAsString(report));
  }

  static ShuffleReport run(ShuffleArguments arguments) {
    TaskCosts costs = new TaskCosts();
    SparkSession session = SparkSession.builder().appName(arguments.toString()).getOrCreate();
    SortedSet<String> adaptiveReads;
    List<PartitionSummary> partitions;
    String driverShuffleManager;
    SortedMap<String, String> executorStates;
    long wallMs;
    try {
      session.sparkContext().addSparkListener(costs);
      RddWorkloads rdds = new RddWorkloads(new JavaSparkContext(session.sparkContext()), arguments);
      SqlWorkloads queries = new SqlWorkloads(session, arguments, rdds);
      long startNs = System.nanoTime();
      partitions =
          result(arguments.workload(), rdds, queries)
              .mapPartitions(rows -> List.of(PartitionSummary.of(rows)).iterator())
              .collect();
      wallMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
      adaptiveReads = queries.adaptiveReads();
      executorStates = ExecutorStates.ask(new JavaSparkContext(session.sparkContext()));
      driverShuffleManager = PartitionSummary.shuffleManager(SparkEnv.get());
    } finally {
      session.stop(); // and with it the listener, once it has heard of every task
    }
    ResultSummary result = ResultSummary.of(partitions);
    return new ShuffleReport(
        arguments.workload(),
        result.count(),
        result.digest(),
        result.sorted(),
        adaptiveReads,
        driverShuffleManager,
        result.shuffleManagers(),
        executorStates,
        costs.total(),
        wallMs);
  }

  private static JavaRDD<ResultRow> result(
      Workload workload, RddWorkloads rdds, SqlWorkloads queries) {
    return switch (workload) {
      case REPARTITION -> rdds.repartition();
      case SORT_BY_KEY -> rdds.sortByKey();
      case GROUP_BY_KEY -> rdds.groupByKey();
      case REDUCE_BY_KEY -> rdds.reduceByKey();
      case COGROUP -> rdds.cogroup();
      case SQL_SORT -> queries.sort();
      case SQL_JOIN -> queries.join();
    };
  }
}
