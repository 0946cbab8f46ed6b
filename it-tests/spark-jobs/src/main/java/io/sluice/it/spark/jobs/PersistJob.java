package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;

/**
 * Persists made-up rows, reads them twice, and drops them: {@code LEVEL ROWS PARTITIONS SEED}.
 * Prints a {@link PersistReport}.
 */
public final class PersistJob {
  private PersistJob() {}

  public static void main(String[] arguments)
      throws IOException, TimeoutException, InterruptedException {
    ShuffleArguments shape =
        new ShuffleArguments(
            Workload.REPARTITION,
            Long.parseLong(arguments[1]),
            Integer.parseInt(arguments[2]),
            Long.parseLong(arguments[3]));
    PersistReport report;
    try (JavaSparkContext context =
        new JavaSparkContext(SparkSession.builder().getOrCreate().sparkContext())) {
      ExecutorStates.awaitAll(context.sc());
      report = run(context, StorageLevel.fromString(arguments[0]), shape);
    }
    System.out.println(new ObjectMapper().writeValueAsString(report));
  }

  private static PersistReport run(
      JavaSparkContext context, StorageLevel level, ShuffleArguments shape)
      throws TimeoutException {
    JavaPairRDD<Long, String> rows = new RddWorkloads(context, shape).rows(0, 0).persist(level);
    ResultSummary computed = summary(rows);
    ResultSummary kept = summary(rows);
    context.sc().listenerBus().waitUntilEmpty(); // then the page knows of every block
    RDDInfo page = context.sc().getRDDStorageInfo()[0];
    SortedMap<String, String> stores = stores(context);
    SortedMap<String, Integer> files = ExecutorStates.ask(context, PersistJob::partitionFiles);
    rows.unpersist(true);
    return new PersistReport(
        computed.count(),
        computed.digest(),
        kept.digest(),
        page.numCachedPartitions(),
        page.memSize(),
        page.diskSize(),
        stores,
        files,
        stores(context));
  }

  private static ResultSummary summary(JavaPairRDD<Long, String> rows) {
    return ResultSummary.of(rows.map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2()))));
  }

  private static SortedMap<String, String> stores(JavaSparkContext context) {
    return ExecutorStates.ask(context, env -> env.blockManager().diskStore().toString());
  }

  private static int partitionFiles(SparkEnv env) {
    int count = 0;
    for (File directory : env.blockManager().diskBlockManager().localDirs()) {
      try (Stream<Path> files = Files.walk(directory.toPath())) {
        count +=
            (int) files.filter(file -> file.getFileName().toString().startsWith("rdd_")).count();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot look into " + directory, e);
      }
    }
    return count;
  }

  /**
   * The output of the job, as one line of JSON.
   *
   * @param count rows that were persisted
   * @param digest of them when they were computed
   * @param digestAgain of them as they were kept
   * @param keptPartitions how many partitions Spark's storage page counts
   * @param memoryBytes as on that page
   * @param diskBytes as on that page
   * @param stores the executors' disk stores in their own words, while the rows are kept
   * @param files how many files of theirs hold partitions meanwhile
   * @param storesAfter the disk stores when the rows were dropped
   */
  public record PersistReport(
      long count,
      String digest,
      String digestAgain,
      int keptPartitions,
      long memoryBytes,
      long diskBytes,
      SortedMap<String, String> stores,
      SortedMap<String, Integer> files,
      SortedMap<String, String> storesAfter) {}
}
