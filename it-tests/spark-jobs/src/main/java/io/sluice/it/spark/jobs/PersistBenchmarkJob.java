package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.PersistedRun.RanTask;
import io.sluice.it.spark.jobs.PersistedRun.StageRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
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
      ExecutorStates.awaitAll(context.sc());
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

  /** Spark's storage page of an RDD, whose events have all been heard of. */
  private RDDInfo page(int rdd) {
    return Arrays.stream(context.sc().getRDDStorageInfo())
        .filter(info -> info.id() == rdd)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("nothing of RDD " + rdd + " is kept"));
  }

  private JavaRDD<String> lines(PersistArguments arguments) {
    long seed = arguments.seed();
    long blockBytes = arguments.textBytes() / arguments.blocks();
    List<Integer> blocks = IntStream.range(0, arguments.blocks()).boxed().toList();
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

  /**
   * Lines of made-up words, the same for the same seed and block. A word is the shorter the more
   * frequent it is, and about as frequent as one of its rank in a natural language: the rank is
   * drawn so that the word at r is 1/r as frequent as the first.
   *
   * <p>Not thread-safe.
   */
  static final class SeededLines implements Iterator<String> {
    private static final int WORDS_OF_LINE = 16;
    private static final double LOG_OF_WORDS = StrictMath.log(1_000_000);
    private static final int LETTERS = 26;

    private final SplittableRandom random;
    private final StringBuilder line = new StringBuilder();
    private long leftBytes;

    /** Lines until they have so many bytes, or a few more. */
    SeededLines(long seed, int block, long bytes) {
      this.random = new SplittableRandom(seed * 1_000_003 + block);
      this.leftBytes = bytes;
    }

    @Override
    public boolean hasNext() {
      return leftBytes > 0;
    }

    @Override
    public String next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      line.setLength(0);
      for (int word = 0; word < WORDS_OF_LINE; word++) {
        if (word > 0) {
          line.append(' ');
        }
        // The strict one, for the same lines on every machine.
        appendWord((int) StrictMath.exp(random.nextDouble() * LOG_OF_WORDS));
      }
      leftBytes -= line.length() + 1;
      return line.toString();
    }

    /** The rank in letters. */
    private void appendWord(int rank) {
      for (int rest = rank; rest > 0; rest /= LETTERS) {
        line.append((char) ('a' + rest % LETTERS));
      }
    }
  }

  /**
   * When stages and their tasks began and ended, by the driver's clock.
   *
   * <p>Differs from {@link ShuffleCosts.TaskCosts}, which adds up what tasks took. Spark's listener
   * thread calls it; any thread may ask. Failure: a task or a stage that failed is an {@link
   * IllegalStateException} when it is asked for, since the times of others have its repetition in
   * them.
   */
  static final class StageTimes extends SparkListener {
    private final SortedMap<Integer, List<TaskInfo>> tasks = new TreeMap<>();
    private final SortedMap<Integer, StageInfo> stages = new TreeMap<>();

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
      tasks.computeIfAbsent(end.stageId(), stage -> new ArrayList<>()).add(end.taskInfo());
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted completed) {
      stages.put(completed.stageInfo().stageId(), completed.stageInfo());
    }

    /** The stages that have run since this was asked last, in their order. */
    List<StageRun> take(SparkContext context) {
      try {
        context.listenerBus().waitUntilEmpty();
      } catch (TimeoutException e) {
        throw new IllegalStateException("the listeners have not heard of all stages", e);
      }
      synchronized (this) {
        List<StageRun> runs =
            stages.values().stream()
                .map(stage -> of(stage, tasks.getOrDefault(stage.stageId(), List.of())))
                .toList();
        stages.clear();
        tasks.clear();
        return runs;
      }
    }

    private static StageRun of(StageInfo stage, List<TaskInfo> ended) {
      long submittedMs = (Long) stage.submissionTime().get();
      long completedMs = (Long) stage.completionTime().get();
      if (ended.size() != stage.numTasks() || !ended.stream().allMatch(TaskInfo::successful)) {
        throw new IllegalStateException(
            "stage %d has %d tasks, and of %d ends %d were successful"
                .formatted(
                    stage.stageId(),
                    stage.numTasks(),
                    ended.size(),
                    ended.stream().filter(TaskInfo::successful).count()));
      }
      return new StageRun(
          completedMs - submittedMs,
          ended.stream()
              .sorted(Comparator.comparingInt(TaskInfo::index))
              .map(
                  task ->
                      new RanTask(
                          task.index(),
                          task.executorId(),
                          task.launchTime() - submittedMs,
                          task.duration()))
              .toList());
    }
  }
}
