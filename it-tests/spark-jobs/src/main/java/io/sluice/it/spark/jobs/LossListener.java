package io.sluice.it.spark.jobs;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Waits for the end of executors, and counts map tasks. Spark's listener thread calls it; others
 * may ask.
 */
final class LossListener extends SparkListener {
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
