package io.sluice.it.spark.jobs;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Waits for the end of one executor, and counts map tasks. Spark's listener thread calls it; others
 * may ask.
 */
final class LossListener extends SparkListener {
  private static final long DEADLINE_S = 180;

  private final String executorId;
  private final CountDownLatch removed = new CountDownLatch(1);
  private final AtomicLong mapTasks = new AtomicLong();

  LossListener(String executorId) {
    this.executorId = executorId;
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    if (event.executorId().equals(executorId)) {
      removed.countDown();
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask")) {
      mapTasks.incrementAndGet();
    }
  }

  void awaitRemoved() throws InterruptedException {
    if (!removed.await(DEADLINE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("executor " + executorId + " has not gone");
    }
  }

  String executorId() {
    return executorId;
  }

  long mapTasks() {
    return mapTasks.get();
  }
}
