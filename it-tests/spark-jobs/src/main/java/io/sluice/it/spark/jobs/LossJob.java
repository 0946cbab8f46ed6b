package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import org.apache.spark.Dependency;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
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
      AllExecutors.await(context.sc());
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

  /** YARN counts from 1. */
  private static String firstExecutor(JavaSparkContext context) {
    return context.master().equals("yarn") ? "1" : "0";
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
}
