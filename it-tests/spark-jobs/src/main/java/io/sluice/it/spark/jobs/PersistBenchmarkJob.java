package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Persists made-up lines and runs a benchmark of Chen and Rodero over them, for each of its {@link
 * PersistArguments} in one context, and prints a {@link PersistedRun} for each.
 *
 * <p>Differs from {@link PersistJob}, which looks at what is kept; this one at how long the stages
 * over it take. Failure: {@link IllegalStateException} if two runs differ in their result, or a
 * task failed.
 */
public final class PersistBenchmarkJob {
  private final JavaSparkContext context;
  private final StageTimes times = new StageTimes();

  private PersistBenchmarkJob(JavaSparkContext context) {
    this.context = context;
    context.sc().addSparkListener(times);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    for (PersistedRun run : run(PersistArguments.parse(arguments))) {
      System.out.println(new ObjectMapper().writeValueAsString(run));
    }
  }

  static List<PersistedRun> run(List<PersistArguments> all) throws InterruptedException {
    try (JavaSparkContext context =
        new JavaSparkContext(SparkSession.builder().getOrCreate().sparkContext())) {
      AllExecutors.await(context.sc());
      PersistBenchmarkJob job = new PersistBenchmarkJob(context);
      List<PersistedRun> runs = new ArrayList<>();
      for (PersistArguments arguments : all) {
        runs.add(job.run(arguments));
      }
      return runs;
    }
  }

  private PersistedRun run(PersistArguments arguments) {
    JavaRDD<String> lines = lines(arguments).persist(StorageLevel.fromString(arguments.level()));
    lines.count();
    StageRun load = times.take(context.sc()).get(0);
    String digest = null;
    List<List<StageRun>> runs = new ArrayList<>();
    for (int run = 0; run < arguments.runs(); run++) {
      String found = result(arguments, lines);
      if (digest != null && !digest.equals(found)) {
        throw new IllegalStateException(
            "run %d of %s gives %s, those before %s".formatted(run + 1, arguments, found, digest));
      }
      digest = found;
      runs.add(times.take(context.sc()));
    }
    RDDInfo page = page(lines.id());
    SortedMap<String, String> stores =
        ExecutorStates.ask(context, env -> env.blockManager().diskStore().toString());
    lines.unpersist(true);
    times.take(context.sc()); // of the question
    return new PersistedRun(
        arguments.benchmark(),
        arguments.level(),
        arguments.textBytes(),
        arguments.blocks(),
        page.numCachedPartitions(),
        page.memSize(),
        page.diskSize(),
        stores,
        digest,
        load.tasks().stream().map(RanTask::executor).toList(),
        runs);
  }

  /** What Spark's storage page shows of an RDD, whose events have all been heard of. */
  private RDDInfo page(int rdd) {
    return Arrays.stream(context.sc().getRDDStorageInfo())
        .filter(info -> info.id() == rdd)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("nothing of RDD " + rdd + " is kept"));
  }

  private JavaRDD<String> lines(PersistArguments arguments) {
    long seed = arguments.seed();
    long blockBytes = arguments.textBytes() / arguments.blocks();
    List<Integer> blocks = new ArrayList<>();
    for (int block = 0; block < arguments.blocks(); block++) {
      blocks.add(block);
    }
    return context
        .parallelize(blocks, arguments.blocks())
        .flatMap(block -> new SeededLines(seed, block, blockBytes));
  }

  private static String result(PersistArguments arguments, JavaRDD<String> lines) {
    return switch (arguments.benchmark()) {
      case LINE_COUNTER -> count(lines);
      case LINE_COUNTER_REMOTE -> count(ElsewhereRdd.of(lines));
      case WORD_COUNT_REDUCE -> digest(words(lines).reduceByKey(Integer::sum, arguments.blocks()));
      case WORD_COUNT_GROUP ->
          digest(words(lines).groupByKey(arguments.blocks()).mapValues(PersistBenchmarkJob::sum));
    };
  }

  private static String count(JavaRDD<String> lines) {
    return lines.count() + " lines";
  }

  private static JavaPairRDD<String, Integer> words(JavaRDD<String> lines) {
    return lines
        .flatMap(line -> List.of(line.split(" ")).iterator())
        .mapToPair(word -> new Tuple2<>(word, 1));
  }

  private static int sum(Iterable<Integer> counts) {
    int sum = 0;
    for (int count : counts) {
      sum += count;
    }
    return sum;
  }

  private static String digest(JavaPairRDD<String, Integer> counts) {
    ResultSummary summary =
        ResultSummary.of(
            counts.map(count -> ResultRow.of(ResultRow.hash(count._1()), (long) count._2())));
    return summary.count() + " words, " + summary.digest();
  }
}
