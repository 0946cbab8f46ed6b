package io.sluice.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.Success$;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Fails a test if a stage reads another number of records than the stages before it have written.
 * Stages of {@code take} may end early and read fewer.
 *
 * <p>It watches applications through {@code spark.extraListeners}; the tests name it as their
 * extension. Thread contract: one application at a time. Spark delivers its events on one thread
 * before its context is closed.
 */
public final class ShuffledRecords extends SparkListener implements AfterEachCallback {
  /** The setting that has Spark make one for an application. */
  public static final String SETTING = "spark.extraListeners";

  private static final List<String> WRONG = new ArrayList<>();

  private final Map<Integer, Map<Integer, Long>> written = new HashMap<>(); // by shuffle
  private final Map<Integer, Map<Integer, Long>> read = new HashMap<>(); // by stage
  private final Map<Integer, Object> shuffles = new HashMap<>(); // that stages write

  /** A shuffle that is read again has another stage, which is skipped. */
  @Override
  public void onJobStart(SparkListenerJobStart start) {
    for (StageInfo stage : CollectionConverters.asJava(start.stageInfos())) {
      if (stage.shuffleDepId().isDefined()) {
        shuffles.put(stage.stageId(), stage.shuffleDepId().get());
      }
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (!end.reason().equals(Success$.MODULE$) || metrics == null) {
      return;
    }
    int partition = end.taskInfo().partitionId();
    if (shuffles.get(end.stageId()) instanceof Integer shuffle) {
      written
          .computeIfAbsent(shuffle, id -> new HashMap<>())
          .put(partition, metrics.shuffleWriteMetrics().recordsWritten());
    }
    read.computeIfAbsent(end.stageId(), stage -> new HashMap<>())
        .put(partition, metrics.shuffleReadMetrics().recordsRead());
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    StageInfo stage = completed.stageInfo();
    if (stage.failureReason().isDefined() || stage.parentIds().isEmpty()) {
      return;
    }
    long expected = 0;
    for (Object parent : CollectionConverters.asJava(stage.parentIds())) {
      expected += sum(written, (Integer) shuffles.get(parent));
    }
    long actual = sum(read, stage.stageId());
    boolean mayEndEarly = stage.name().startsWith("take") || stage.name().startsWith("first");
    if (actual > expected || actual < expected && !mayEndEarly) {
      synchronized (WRONG) {
        WRONG.add(stage.name() + " has read " + actual + " of " + expected + " records");
      }
    }
  }

  private static long sum(Map<Integer, Map<Integer, Long>> records, int id) {
    return records.getOrDefault(id, Map.of()).values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void afterEach(ExtensionContext test) {
    synchronized (WRONG) {
      List<String> all = List.copyOf(WRONG);
      WRONG.clear();
      if (!all.isEmpty()) {
        throw new AssertionError(String.join("; ", all));
      }
    }
  }
}
