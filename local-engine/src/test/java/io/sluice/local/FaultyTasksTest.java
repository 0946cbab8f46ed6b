package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that do what tasks of users do. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class FaultyTasksTest {
  private static final String OURS = "sluice";

  private static volatile CountDownLatch begun;
  private static volatile CountDownLatch goOn;
  private static final AtomicBoolean FIRST = new AtomicBoolean();

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 3, 500);
    begun = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
    FIRST.set(true);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    goOn.countDown();
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  private Job job(Class<? extends Mapper<?, ?, ?, ?>> mapper) throws IOException {
    Job job = jobs.wordCount(OURS, 2, false);
    job.setMapperClass(mapper);
    return job;
  }

  private static Stream<TaskCompletionEvent> events(Job job, TaskCompletionEvent.Status status)
      throws Exception {
    return Arrays.stream(job.getTaskCompletionEvents(0, 100))
        .filter(event -> event.getStatus() == status);
  }

  /** The first of them hangs, and ends when it is interrupted. */
  public static class HangsOnce extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      if (FIRST.getAndSet(false)) {
        begun.countDown();
        goOn.await();
      }
    }
  }

  @Test
  void aTaskThatSaysNothingForTooLongIsTriedAgain() throws Exception {
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, 3_000);
    Job job = job(HangsOnce.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    TaskCompletionEvent failed =
        events(job, TaskCompletionEvent.Status.FAILED).findFirst().orElseThrow();
    String why = String.join(" ", job.getTaskDiagnostics(failed.getTaskAttemptId()));
    assertTrue(why.contains("it has reported no progress for 3 s"), why);
  }

  /** What it has pushed must not be in the output twice. */
  @ParameterizedTest
  @CsvSource({"true, pull", "false, pull", "true, hybrid", "false, hybrid", "false, push"})
  void oneAttemptIsKilledAndTheJobGoesOn(boolean fails, String exchange) throws Exception {
    assertTrue(jobs.wordCount("local", 2, false).waitForCompletion(false));
    jobs.exchange(exchange);
    Job job = job(HangsOnce.class);
    job.submit();
    begun.await();
    TaskAttemptID attempt = running(job);
    if (fails) {
      job.failTask(attempt);
    } else {
      job.killTask(attempt);
    }
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(
        fails ? 1 : 0, events(job, TaskCompletionEvent.Status.FAILED).count(), "failed attempts");
    assertEquals(
        fails ? 0 : 1, events(job, TaskCompletionEvent.Status.KILLED).count(), "killed attempts");
    assertEquals(Jobs.contents(jobs.output("local")), Jobs.contents(jobs.output(OURS)));
  }

  @Test
  void aMapThatMayFailButOnceFailsAJobThatPushes() throws Exception {
    jobs.exchange("push");
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = job(EatsTheHeap.class);
    assertFalse(job.waitForCompletion(false));
  }

  private static TaskAttemptID running(Job job) throws Exception {
    while (events(job, TaskCompletionEvent.Status.SUCCEEDED)
            .filter(TaskCompletionEvent::isMapTask)
            .count()
        < 2) {
      Jobs.pause(); // until the others have ended
    }
    return Arrays.stream(job.getTaskReports(TaskType.MAP))
        .flatMap(report -> report.getRunningTaskAttemptIds().stream())
        .findFirst()
        .orElseThrow();
  }

  /** The first of them takes no interrupt. */
  public static class TakesNoInterrupt extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      if (FIRST.getAndSet(false)) {
        begun.countDown();
        while (goOn.getCount() > 0) {
          try {
            goOn.await();
          } catch (InterruptedException e) {
            // As user code does.
          }
        }
        context.write(new Text("late"), new IntWritable(1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void aTaskThatDoesNotEndIsGivenUpAndPutsOutNothing(String exchange) throws Exception {
    jobs.exchange(exchange);
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, 3_000);
    Job job = job(TakesNoInterrupt.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    goOn.countDown();
    assertFalse(Jobs.contents(jobs.output(OURS)).toString().contains("late"));
    TaskCompletionEvent failed =
        events(job, TaskCompletionEvent.Status.FAILED).findFirst().orElseThrow();
    String why = String.join(" ", job.getTaskDiagnostics(failed.getTaskAttemptId()));
    assertTrue(why.contains("did not end when it was told to"), why);
  }

  /** All of them hang. */
  public static class Hangs extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      begun.countDown();
      goOn.await();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "push", "hybrid"})
  void aKilledJobEndsWithNothingLeft(String exchange) throws Exception {
    jobs.exchange(exchange);
    Job job = job(Hangs.class);
    job.submit();
    begun.await();
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
  }

  /** Runs out of heap, once. */
  public static class EatsTheHeap extends Jobs.Words {
    @Override
    protected void cleanup(Context context) {
      if (FIRST.getAndSet(false)) {
        throw new OutOfMemoryError("as of an array that is too large");
      }
    }
  }

  @Test
  void anErrorFailsTheAttemptAndNotTheProcess() throws Exception {
    Job job = job(EatsTheHeap.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(1, events(job, TaskCompletionEvent.Status.FAILED).count());
  }
}
