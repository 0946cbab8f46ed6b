package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Committers that hang: what ends, what is tried again, and what two committers may not do. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HangingCommittersTest {
  private static final long TASK_TIMEOUT_MS = 5_000;
  private static final long CANCEL_TIMEOUT_MS = 2_000;
  private static final long LONG_TIMEOUT_MS = 600_000;

  private static final AtomicInteger COMMITTING = new AtomicInteger();
  private static final AtomicInteger COMMITS = new AtomicInteger();
  private static final AtomicInteger COMMITS_BESIDE = new AtomicInteger();
  private static final Map<TaskAttemptID, OutputCommitter> SET_UP = new ConcurrentHashMap<>();
  private static final Map<TaskAttemptID, OutputCommitter> ABORTED = new ConcurrentHashMap<>();
  private static final Set<Thread> HANGING = ConcurrentHashMap.newKeySet();
  private static volatile CountDownLatch begun;
  private static volatile CountDownLatch release;
  private static volatile How how;
  private static volatile Call hangs;

  /** What a call that hangs does when it is interrupted. */
  enum How {
    ENDS,
    GOES_ON,
    COMMITS
  }

  /** Which call hangs. */
  enum Call {
    COMMIT_TASK,
    NEEDS_TASK_COMMIT,
    SETUP_JOB,
    COMMIT_JOB,
    ABORT_JOB,
    MAKE
  }

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 50);
    begun = new CountDownLatch(1);
    release = new CountDownLatch(1);
    SET_UP.clear();
    ABORTED.clear();
    COMMITS.set(0);
    COMMITS_BESIDE.set(0);
    hangs = Call.COMMIT_TASK;
    how = How.ENDS;
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    release.countDown();
    for (Thread thread : HANGING) {
      thread.join();
    }
    HANGING.clear();
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  /** The first such call hangs. */
  private static void call(Call call) throws IOException {
    if (call != hangs || begun.getCount() == 0) {
      return;
    }
    HANGING.add(Thread.currentThread());
    begun.countDown();
    while (release.getCount() > 0) {
      try {
        release.await();
      } catch (InterruptedException e) {
        if (how == How.ENDS) {
          throw new InterruptedIOException();
        } else if (how == How.COMMITS) {
          return;
        }
      }
    }
  }

  /** As the test says. */
  public static class Output extends TextOutputFormat<Text, IntWritable> {
    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      call(Call.MAKE);
      return new Committer(getOutputPath(context), context);
    }
  }

  private static class Committer extends FileOutputCommitter {
    Committer(org.apache.hadoop.fs.Path output, TaskAttemptContext context) throws IOException {
      super(output, context);
    }

    @Override
    public void setupJob(JobContext job) throws IOException {
      call(Call.SETUP_JOB);
      super.setupJob(job);
    }

    @Override
    public void commitJob(JobContext job) throws IOException {
      call(Call.COMMIT_JOB);
      super.commitJob(job);
    }

    @Override
    public void abortJob(JobContext job, JobStatus.State state) throws IOException {
      call(Call.ABORT_JOB);
      super.abortJob(job, state);
    }

    @Override
    public void setupTask(TaskAttemptContext context) throws IOException {
      SET_UP.put(context.getTaskAttemptID(), this);
      super.setupTask(context);
    }

    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
      if (context.getTaskAttemptID().getTaskID().getId() == 0) {
        call(Call.NEEDS_TASK_COMMIT);
      }
      return super.needsTaskCommit(context);
    }

    @Override
    public void abortTask(TaskAttemptContext context) throws IOException {
      ABORTED.put(context.getTaskAttemptID(), this);
      super.abortTask(context);
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      if (context.getTaskAttemptID().getTaskID().getId() == 0) {
        COMMITS.incrementAndGet();
        if (COMMITTING.incrementAndGet() > 1) {
          COMMITS_BESIDE.incrementAndGet();
        }
        try {
          call(Call.COMMIT_TASK);
        } finally {
          COMMITTING.decrementAndGet();
        }
      }
      super.commitTask(context);
    }
  }

  private Job job(long timeoutMs) throws IOException {
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, timeoutMs);
    jobs.conf().setLong(MRJobConfig.MR_AM_COMMITTER_CANCEL_TIMEOUT_MS, CANCEL_TIMEOUT_MS);
    Job job = jobs.wordCount("sluice", 1, false);
    job.setOutputFormatClass(Output.class);
    return job;
  }

  private TaskCompletionEvent onlyEvent(Job job, TaskCompletionEvent.Status status)
      throws Exception {
    TaskCompletionEvent[] events =
        Arrays.stream(job.getTaskCompletionEvents(0, 100))
            .filter(event -> event.getStatus() == status)
            .toArray(TaskCompletionEvent[]::new);
    assertEquals(1, events.length, status.toString());
    return events[0];
  }

  private void assertSucceedsAsStock(Job job) throws Exception {
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    jobs.conf().set("hadoop.tmp.dir", directory.resolve("stocks-tmp").toString());
    assertTrue(jobs.wordCount("local", 1, false).waitForCompletion(false));
    assertEquals(Jobs.contents(jobs.output("local")), Jobs.contents(jobs.output("sluice")));
    assertEquals(0, COMMITS_BESIDE.get(), "commits of one task beside each other");
  }

  @ParameterizedTest
  @EnumSource(names = {"COMMIT_TASK", "NEEDS_TASK_COMMIT"})
  void aCommitThatHangsIsInterruptedAbortedAndTriedAgain(Call which) throws Exception {
    hangs = which;
    Job job = job(TASK_TIMEOUT_MS);
    assertSucceedsAsStock(job);
    TaskAttemptID failed = onlyEvent(job, TaskCompletionEvent.Status.FAILED).getTaskAttemptId();
    assertTrue(
        String.join(" ", job.getTaskDiagnostics(failed))
            .contains("it has reported no progress for 5 s"));
    assertSame(SET_UP.get(failed), ABORTED.get(failed), "the committer that did the setup");
  }

  @Test
  void aCommitThatIgnoresInterruptsFailsTheJobAndNoOtherCommitBegins() throws Exception {
    how = How.GOES_ON;
    Job job = job(TASK_TIMEOUT_MS);
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.FAILED, job.getStatus().getState());
    String why = job.getStatus().getFailureInfo();
    assertTrue(why.contains("it has reported no progress for 5 s"), why);
    assertTrue(why.contains("It may still commit its output, so no other attempt may"), why);
    assertEquals(1, COMMITS.get());
  }

  @ParameterizedTest
  @CsvSource({"true, ENDS", "false, ENDS", "true, COMMITS", "false, COMMITS"})
  void oneAttemptIsEndedWhileItCommits(boolean fails, How which) throws Exception {
    how = which;
    Job job = job(LONG_TIMEOUT_MS);
    job.submit();
    begun.await();
    TaskAttemptID attempt =
        Arrays.stream(job.getTaskReports(org.apache.hadoop.mapreduce.TaskType.REDUCE))
            .flatMap(report -> report.getRunningTaskAttemptIds().stream())
            .findFirst()
            .orElseThrow();
    if (fails) {
      job.failTask(attempt);
    } else {
      job.killTask(attempt);
    }
    assertSucceedsAsStock(job);
    if (which == How.COMMITS) {
      assertEquals(1, COMMITS.get(), "what is committed is not committed again");
      return;
    }
    assertEquals(2, COMMITS.get());
    assertEquals(
        attempt,
        onlyEvent(
                job, fails ? TaskCompletionEvent.Status.FAILED : TaskCompletionEvent.Status.KILLED)
            .getTaskAttemptId());
  }

  @ParameterizedTest
  @EnumSource(names = {"MAKE", "SETUP_JOB", "COMMIT_JOB"})
  void aJobWhoseCommitterIgnoresInterruptsCanBeKilled(Call which) throws Exception {
    hangs = which;
    how = How.GOES_ON;
    Job job = job(LONG_TIMEOUT_MS);
    job.submit();
    begun.await();
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
    assertTrue(
        job.getStatus().getFailureInfo().contains("has not ended 2000 ms after its job was killed"),
        job.getStatus().getFailureInfo());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSecondKillEndsTheAbortOfAJob(boolean ends) throws Exception {
    hangs = Call.ABORT_JOB;
    how = ends ? How.ENDS : How.GOES_ON;
    Job job = job(LONG_TIMEOUT_MS);
    job.setMapperClass(Jobs.FailingWords.class);
    Jobs.FAILURES_LEFT.set(Integer.MAX_VALUE);
    try {
      job.submit();
      begun.await();
      job.killJob();
      assertFalse(job.waitForCompletion(false));
    } finally {
      Jobs.FAILURES_LEFT.set(0);
    }
    assertEquals(JobStatus.State.FAILED, job.getStatus().getState());
  }
}
