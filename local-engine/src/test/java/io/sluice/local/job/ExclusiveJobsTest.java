package io.sluice.local.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExclusiveJobsTest {
  private static final String LAYER =
      "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer.";

  private final ExclusiveJobs jobs = new ExclusiveJobs();

  private static JobConf job(String map, String reduce) {
    JobConf job = new JobConf(false);
    job.set("mapreduce.job.map.class", map);
    job.set("mapreduce.job.reduce.class", reduce);
    return job;
  }

  private static JobConf other() {
    return job("org.example.Words", "org.example.Sum");
  }

  private static JobConf pig() {
    return job(LAYER + "PigGenericMapReduce$Map", LAYER + "PigGenericMapReduce$Reduce");
  }

  private static JobConf counting() {
    return job(LAYER + "PigGenericMapReduce$Map", LAYER + "PigMapReduceCounter$PigReduceCounter");
  }

  private static JobID id(int number) {
    return new JobID("test", number);
  }

  private Closeable enter(JobConf job, int number, JobID... ancestors) throws Exception {
    return jobs.enter(job, id(number), Set.of(ancestors));
  }

  /** Started, and waiting for another. */
  private Thread waits(FutureTask<?> entry) {
    Thread thread = new Thread(entry, "waits to enter");
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "it has not waited");
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void thoseThatCountAreKnownByTheirPrograms() {
    assertTrue(ExclusiveJobs.isExclusive(counting()));
    assertTrue(
        ExclusiveJobs.isExclusive(job(LAYER + "PigMapReduceCounter$PigMapCounter", "")));
    assertFalse(ExclusiveJobs.isExclusive(pig()));
    assertFalse(ExclusiveJobs.isExclusive(other()));
    assertFalse(ExclusiveJobs.isExclusive(new JobConf(false)));
  }

  @Test
  void oneThatCountsWaitsForOthersOfPigAndOthersForIt() throws Exception {
    Closeable first = enter(pig(), 1);
    Closeable second = enter(pig(), 2);
    FutureTask<Closeable> alone = new FutureTask<>(() -> enter(counting(), 3));
    waits(alone);
    FutureTask<Closeable> behind = new FutureTask<>(() -> enter(pig(), 4));
    waits(behind);
    enter(other(), 5).close();
    first.close();
    assertFalse(alone.isDone());
    second.close();
    Closeable counts = alone.get();
    assertFalse(behind.isDone());
    counts.close();
    behind.get().close();
  }

  @Test
  void oneThatIsInterruptedWhileItWaitsHoldsUpNobody() throws Exception {
    Closeable first = enter(pig(), 1);
    FutureTask<Closeable> alone = new FutureTask<>(() -> enter(counting(), 2));
    Thread thread = waits(alone);
    FutureTask<Closeable> behind = new FutureTask<>(() -> enter(pig(), 3));
    waits(behind);
    thread.interrupt();
    behind.get().close();
    first.close();
    enter(counting(), 4).close();
  }

  @Test
  void noneWaitsForTheJobThatHasStartedIt() throws Exception {
    Closeable outer = enter(pig(), 1);
    assertThrows(IOException.class, () -> enter(counting(), 2, id(1)));
    FutureTask<Closeable> alone = new FutureTask<>(() -> enter(counting(), 3));
    waits(alone);
    enter(pig(), 4, id(1)).close();
    outer.close();
    Closeable counts = alone.get();
    IOException refused = assertThrows(IOException.class, () -> enter(pig(), 5, id(3)));
    assertTrue(refused.getMessage().contains("cannot run beside " + id(3)), refused.getMessage());
    counts.close();
  }

  @Test
  void manyEnterAndLeaveAndNoneThatCountsHasCompany() throws Exception {
    List<Integer> inside = Collections.synchronizedList(new ArrayList<>());
    ExecutorService pool = Executors.newFixedThreadPool(8);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      int number = i;
      all.add(
          pool.submit(
              () -> {
                boolean counts = number % 5 == 0;
                try (Closeable in = enter(counts ? counting() : pig(), number)) {
                  inside.add(number);
                  if (counts) {
                    assertEquals(List.of(number), List.copyOf(inside));
                  }
                  inside.remove((Integer) number);
                }
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get();
    }
    pool.shutdown();
    assertTrue(pool.awaitTermination(30, TimeUnit.SECONDS));
    assertEquals(List.of(), inside);
  }
}
