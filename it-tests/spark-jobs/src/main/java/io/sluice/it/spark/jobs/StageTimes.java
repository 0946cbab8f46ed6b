package io.sluice.it.spark.jobs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;

/**
 * When stages and their tasks began and ended, by the driver's clock.
 *
 * <p>Differs from {@link TaskCosts}, which adds up what tasks took. Spark's listener thread calls
 * it; any thread may ask. Failure: a task or a stage that failed is an {@link
 * IllegalStateException} when it is asked for, since the times of others have its repetition in
 * them.
 */
final class StageTimes extends SparkListener {
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
