package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.Leftovers;
import io.sluice.local.oracle.Faults.Step;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs and attempts that are killed while the user's code is anywhere. */
@Tag("slow")
class KilledJobsTest extends OracleTestBase {
  private static final List<Step> WHEN =
      Stream.of(Step.values()).filter(step -> step.compareTo(Step.SETUP_JOB) >= 0).toList();

  /** With other exchanges, threads and calls each time. */
  private static final int CAMPAIGN_ROUNDS = 4;

  private Oracle.Ran stock;

  @BeforeEach
  void write() throws Exception {
    Faults.none();
    inputs.files("lines", 4, 50, 50);
    stock = oracle.stock(this::program);
  }

  @AfterEach
  void disarm() {
    Faults.none();
  }

  private Job program(org.apache.hadoop.conf.Configuration settings) throws IOException {
    return FaultyJob.of(inputs.job(settings, "lines"), 3, false);
  }

  private Job next() throws Exception {
    return oracle.ours(this::program, exchange(), threads());
  }

  /** Calls this at one of the steps; they take turns. */
  private void arm(int job, Faults.Action action) {
    Step step = WHEN.get(job % WHEN.size());
    Faults.at(step, action, random.nextInt(step == Step.MAP ? 200 : 4), 1);
  }

  @Test
  void aJobIsKilledAtAnyStepAndLeavesNothing() throws Exception {
    killJobs(WHEN.size());
  }

  @Test
  @Tag("campaign")
  void jobsAreKilledAtAnyMoment() throws Exception {
    killJobs(CAMPAIGN_ROUNDS * WHEN.size());
  }

  private void killJobs(int jobs) throws Exception {
    int killed = 0;
    for (int i = 0; i < jobs; i++) {
      Job job = next();
      arm(i, step -> job.killJob());
      Oracle.Ran ran = oracle.run(job);
      JobStatus.State state = job.getStatus().getState();
      if (state == JobStatus.State.SUCCEEDED) { // it had ended, or all but
        Oracle.same(stock, ran, "job " + i);
      } else {
        assertEquals(JobStatus.State.KILLED, state, Oracle.failure(job));
        killed++;
      }
      Leftovers.none(oracle.conf(), directory.resolve("tmp"));
    }
    assertTrue(killed > jobs / 4, killed + " were killed");
  }

  private void killOne(Job job, boolean fails) throws IOException {
    try {
      TaskType type = random.nextBoolean() ? TaskType.MAP : TaskType.REDUCE;
      TaskAttemptID running =
          Arrays.stream(job.getTaskReports(type))
              .map(TaskReport::getRunningTaskAttemptIds)
              .flatMap(ids -> ids.stream())
              .findAny()
              .orElse(null);
      if (running != null && fails) {
        job.failTask(running);
      } else if (running != null) {
        job.killTask(running);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it has killed itself
    }
  }

  @Test
  void attemptsAreKilledAtAnyStepAndTheJobIsAsStock() throws Exception {
    killAttempts(WHEN.size());
  }

  @Test
  @Tag("campaign")
  void attemptsAreKilledAtAnyMoment() throws Exception {
    killAttempts(CAMPAIGN_ROUNDS * WHEN.size());
  }

  private void killAttempts(int jobs) throws Exception {
    for (int i = 0; i < jobs; i++) {
      Job job = next();
      boolean fails = random.nextBoolean();
      arm(i, step -> killOne(job, fails));
      Oracle.same(stock, oracle.succeeded(oracle.run(job)), "job " + i);
    }
  }
}
