package io.sluice.it.spark.jobs;

import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Runs a context's shuffles, each with the workload that it names. */
final class PlannedShuffles implements ContextRun.Work {
  private final List<ShuffleArguments> shuffles;

  PlannedShuffles(List<ShuffleArguments> shuffles) {
    this.shuffles = shuffles;
  }

  @Override
  public void doIn(ContextRun run) throws Exception {
    SparkSession session = run.session();
    for (ShuffleArguments arguments : shuffles) {
      RddWorkloads rdds = new RddWorkloads(new JavaSparkContext(session.sparkContext()), arguments);
      SqlWorkloads queries = new SqlWorkloads(session, arguments, rdds);
      run.shuffle(
          arguments.toString(),
          queries.adaptiveReads(),
          () -> rows(session, arguments, rdds, queries));
    }
  }

  /** The rows of the workload, of which nothing runs before they are read. */
  static JavaRDD<ResultRow> rows(
      SparkSession session, ShuffleArguments arguments, RddWorkloads rdds, SqlWorkloads queries)
      throws Exception {
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
      case PAGE_RANK -> new GraphWorkloads(rdds, arguments).pageRank();
      case TRANSITIVE_CLOSURE -> new GraphWorkloads(rdds, arguments).transitiveClosure();
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
