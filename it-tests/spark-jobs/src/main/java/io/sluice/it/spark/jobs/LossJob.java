package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.ShuffleCosts.TaskCosts;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.Dependency;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Option;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Groups made-up rows by key, and loses executor 0 when all map tasks have ended and no reduce task
 * has begun. Prints a {@link LossReport}.
 */
public final class LossJob {
  private LossJob() {}

  /** {@code LOSS}, and then what {@link ShuffleArguments} are. */
  public static void main(String[] arguments) throws JsonProcessingException, InterruptedException {
    Loss loss = Loss.valueOf(arguments[0]);
    ShuffleArguments rows =
        ShuffleArguments.parse(Arrays.copyOfRange(arguments, 1, arguments.length)).get(0);
    System.out.println(new ObjectMapper().writeValueAsString(run(loss, rows)));
  }

  private static LossReport run(Loss loss, ShuffleArguments arguments) throws InterruptedException {
    TaskCosts costs = new TaskCosts();
    LossListener lost;
    ResultSummary result;
    SortedMap<String, String> states;
    ShuffleCosts total;
    try (JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("LossJob"))) {
      ExecutorStates.awaitAll(context.sc());
      lost = new LossListener(firstExecutor(context));
      JavaRDD<ResultRow> grouped = new RddWorkloads(context, arguments).groupByKey();
      context.sc().addSparkListener(costs);
      context.sc().addSparkListener(lost);
      writeMapOutput(context, shuffleOf(grouped.rdd()));
      lose(context, loss, lost);
      result = ResultSummary.of(grouped);
      states = ExecutorStates.ask(context);
      total = costs.total(context.sc());
    }
    return new LossReport(
        result.count(),
        result.digest(),
        lost.mapTasks(),
        total.failedTasks(),
        total.remoteBytesRead(),
        total.localBytesRead(),
        states);
  }

  /** YARN and Kubernetes count from 1. */
  private static String firstExecutor(JavaSparkContext context) {
    String master = context.master();
    return master.equals("yarn") || master.startsWith("k8s") ? "1" : "0";
  }

  private static ShuffleDependency<?, ?, ?> shuffleOf(RDD<?> result) {
    Deque<RDD<?>> ancestors = new ArrayDeque<>(List.of(result));
    while (true) {
      for (Dependency<?> dependency :
          CollectionConverters.asJava(ancestors.removeFirst().dependencies())) {
        if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle) {
          return shuffle;
        }
        ancestors.add(dependency.rdd());
      }
    }
  }

  private static void writeMapOutput(JavaSparkContext context, ShuffleDependency<?, ?, ?> shuffle)
      throws InterruptedException {
    try {
      Await.result(context.sc().submitMapStage(shuffle), Duration.Inf());
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("an endless wait has ended", e);
    }
  }

  private static void lose(JavaSparkContext context, Loss loss, LossListener lost)
      throws InterruptedException {
    switch (loss) {
      case NONE -> {
        return;
      }
      case DECOMMISSION ->
          ((ExecutorAllocationClient) context.sc().schedulerBackend())
              .decommissionExecutor(
                  lost.executorId(),
                  new ExecutorDecommissionInfo("LossJob", Option.empty()),
                  false,
                  false);
      case IDLE -> {
        lost.awaitWritersRemoved();
        return;
      }
      case KILL -> {
        long pid = ExecutorStates.processes(context).get(lost.executorId());
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      }
    }
    lost.awaitRemoved();
  }

  /**
   * The output of the job, as one line of JSON.
   *
   * @param count rows of the result
   * @param digest of the result, whatever the order of its rows
   * @param mapTasks how many map tasks ended, in all attempts of their stage
   * @param failedTasks how many tasks failed
   * @param remoteBytesRead of map output, from other executors
   * @param localBytesRead of map output, from the executor's own
   * @param executorStates what the executors' shuffle managers said of themselves in the end
   */
  public record LossReport(
      long count,
      String digest,
      long mapTasks,
      long failedTasks,
      long remoteBytesRead,
      long localBytesRead,
      SortedMap<String, String> executorStates) {}

  /**
   * Waits for the end of executors, and counts map tasks. Spark's listener thread calls it; others
   * may ask.
   */
  static final class LossListener extends SparkListener {
    private static final long DEADLINE_S = 180;

    private final String executorId;
    private final CountDownLatch removed = new CountDownLatch(1);
    private final CountDownLatch writersRemoved = new CountDownLatch(1);
    private final Set<String> writers = new HashSet<>(); // of the listener thread only
    private final AtomicLong mapTasks = new AtomicLong();

    LossListener(String executorId) {
      this.executorId = executorId;
    }

    /** Comes behind the ends of all tasks that it has run. */
    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
      if (event.executorId().equals(executorId)) {
        removed.countDown();
      }
      if (writers.remove(event.executorId()) && writers.isEmpty()) {
        writersRemoved.countDown();
      }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
      if (end.taskType().equals("ShuffleMapTask")) {
        mapTasks.incrementAndGet();
        writers.add(end.taskInfo().executorId());
      }
    }

    void awaitRemoved() throws InterruptedException {
      await(removed, "executor " + executorId);
    }

    /** Waits for all that have run map tasks. */
    void awaitWritersRemoved() throws InterruptedException {
      await(writersRemoved, "some executor that has written");
    }

    private static void await(CountDownLatch gone, String who) throws InterruptedException {
      if (!gone.await(DEADLINE_S, TimeUnit.SECONDS)) {
        throw new IllegalStateException(who + " has not gone");
      }
    }

    String executorId() {
      return executorId;
    }

    long mapTasks() {
      return mapTasks.get();
    }
  }

  /** The fate of an executor between the stages of the job. */
  public enum Loss {
    /** It goes on. */
    NONE,
    /** It is decommissioned, and ends when it has moved its blocks. */
    DECOMMISSION,
    /** Nothing is asked of any that has written, so that dynamic allocation releases them all. */
    IDLE,
    /** It ends as by {@code kill -9}. */
    KILL
  }
}
