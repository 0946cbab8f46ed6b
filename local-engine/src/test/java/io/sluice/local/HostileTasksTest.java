package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a hostile reader has made the engine do once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HostileTasksTest {
  private static final String OURS = "sluice";
  private static final long TIMEOUT_MS = 2_000;
  private static final long LONG_TIMEOUT_MS = 5_000;

  private static final AtomicBoolean FIRST = new AtomicBoolean();
  private static volatile Thread hanging;
  private static volatile CountDownLatch begun;
  private static volatile CountDownLatch release;
  private static volatile CountDownLatch releaseOthers;

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 200);
    FIRST.set(true);
    hanging = null;
    begun = new CountDownLatch(1);
    release = new CountDownLatch(1);
    releaseOthers = new CountDownLatch(1);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    release.countDown();
    releaseOthers.countDown();
    if (hanging != null) {
      hanging.join(TimeUnit.SECONDS.toMillis(30));
    }
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  private static void hangWithoutEnd() {
    hanging = Thread.currentThread();
    begun.countDown();
    boolean interrupted = true;
    while (interrupted) {
      try {
        release.await();
        interrupted = false;
      } catch (InterruptedException e) {
        // As user code does.
      }
    }
  }

  private Job job(Class<? extends Jobs.Words> mapper) throws IOException {
    Job job = jobs.wordCount(OURS, 2, false);
    job.setMapperClass(mapper);
    return job;
  }

  private void assertSucceedsAsStock(Job job) throws Exception {
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    jobs.conf().set("hadoop.tmp.dir", directory.resolve("stocks-tmp").toString());
    assertTrue(jobs.wordCount("local", 2, false).waitForCompletion(false));
    assertEquals(Jobs.contents(jobs.output("local")), Jobs.contents(jobs.output(OURS)));
  }

  /** The first map hangs and goes on later; the second one ends after that. */
  public static class EndsLate extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      if (context.getTaskAttemptID().getTaskID().getId() == 1) {
        while (!releaseOthers.await(TIMEOUT_MS / 4, TimeUnit.MILLISECONDS)) {
          context.progress();
        }
      } else if (context.getTaskAttemptID().getId() == 0) {
        hangWithoutEnd();
        context.write(new Text("late"), new IntWritable(1));
      }
    }
  }

  /** The first map hangs in its own code; the second one writes until that is interrupted. */
  public static class HangsBesideAnother extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      if (context.getTaskAttemptID().getId() > 0) {
        return;
      }
      if (context.getTaskAttemptID().getTaskID().getId() == 0) {
        try {
          begun.countDown();
          release.await();
        } finally {
          releaseOthers.countDown();
        }
      }
      begun.await();
      while (!releaseOthers.await(TIMEOUT_MS / 100, TimeUnit.MILLISECONDS)) {
        context.write(new Text("another"), new IntWritable(1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "hybrid"})
  void whatAnotherWritesIntoASharedBufferIsNoProgress(String exchange) throws Exception {
    jobs.exchange(exchange);
    jobs.conf().set("sluice.local.isolation", "none");
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, TIMEOUT_MS);
    jobs.conf().setInt("sluice.local.map-threads", 2);
    jobs.conf().setInt("sluice.local.hybrid-streams", 1);
    assertSucceedsAsStock(job(HangsBesideAnother.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void aGivenUpMapKeepsNoSlotAndIsNotTheOneThatCounts(String exchange) throws Exception {
    jobs.exchange(exchange);
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, TIMEOUT_MS);
    jobs.conf().setInt("sluice.local.map-threads", 2);
    Job job = job(EndsLate.class);
    job.submit();
    begun.await();
    if (exchange.equals("hybrid")) {
      releaseOthers.countDown(); // all maps run again, and what they share goes with the last
    }
    while (Arrays.stream(job.getTaskCompletionEvents(0, 100))
        .noneMatch(
            event ->
                event.getTaskAttemptId().getTaskID().getId() == 0
                    && event.getStatus() == TaskCompletionEvent.Status.SUCCEEDED)) {
      Jobs.pause();
    }
    release.countDown();
    hanging.join();
    releaseOthers.countDown();
    assertSucceedsAsStock(job);
  }

  /** Its first one to be written does not end. */
  public static class HangingText extends Text {
    @Override
    public void write(DataOutput out) throws IOException {
      if (FIRST.getAndSet(false)) {
        hangWithoutEnd();
      }
      super.write(out);
    }
  }

  /** Writes such words. */
  public static class HangsInCollect extends Jobs.Words {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      HangingText word = new HangingText();
      word.set(line.toString());
      context.write(word, new IntWritable(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "hybrid"})
  void whoHangsInASharedSortBufferHoldsUpNobody(String exchange) throws Exception {
    jobs.exchange(exchange);
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, TIMEOUT_MS);
    Job job = job(HangsInCollect.class);
    job.setMapOutputKeyClass(HangingText.class);
    job.setSortComparatorClass(Text.Comparator.class);
    job.setGroupingComparatorClass(Text.Comparator.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  @Test
  void aJobWhoseMapHangsInASharedSortBufferCanBeKilled() throws Exception {
    jobs.exchange("hybrid");
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, 600_000);
    Job job = job(HangsInCollect.class);
    job.setMapOutputKeyClass(HangingText.class);
    job.setSortComparatorClass(Text.Comparator.class);
    job.submit();
    begun.await();
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
  }

  /** Takes longer than a task may be silent, and is not. */
  public static class TakesLong extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG_TIMEOUT_MS + TIMEOUT_MS);
      while (System.nanoTime() - endNs < 0) {
        context.progress();
        release.await(TIMEOUT_MS / 10, TimeUnit.MILLISECONDS);
      }
    }
  }

  @Test
  void whoWaitsForASlotIsNotSilent() throws Exception {
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, LONG_TIMEOUT_MS);
    jobs.conf().setInt("sluice.local.map-threads", 1);
    Job job = job(TakesLong.class);
    assertSucceedsAsStock(job);
    for (TaskCompletionEvent event : job.getTaskCompletionEvents(0, 100)) {
      assertEquals(TaskCompletionEvent.Status.SUCCEEDED, event.getStatus(), event.toString());
    }
  }

  /** Commits a file of its own; the last map fails once. */
  public static class SideFiles extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      org.apache.hadoop.fs.Path side =
          new org.apache.hadoop.fs.Path(
              FileOutputFormat.getWorkOutputPath(context),
              "side-" + context.getTaskAttemptID().getTaskID().getId());
      try (FSDataOutputStream out = side.getFileSystem(context.getConfiguration()).create(side)) {
        out.write('x');
      }
      if (context.getTaskAttemptID().getTaskID().getId() == 1 && FIRST.getAndSet(false)) {
        throw new IOException("on purpose");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void mapsThatHaveCommittedMayRunAgain(String exchange) throws Exception {
    jobs.exchange(exchange);
    jobs.conf().setInt("sluice.local.map-threads", 1);
    Job job = job(SideFiles.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertTrue(Jobs.contents(jobs.output(OURS)).contains("side-0: x"));
  }

  /** Leaves threads that wait for ever, one of them such that a JVM waits for it. */
  public static class LeavesThreads extends Jobs.Words {
    @Override
    protected void cleanup(Context context) {
      for (boolean daemon : new boolean[] {false, true}) {
        Thread left = new Thread(HostileTasksTest::hangWithoutEnd, "left by the user");
        left.setDaemon(daemon);
        left.start();
      }
    }
  }

  @Test
  void threadsThatTasksLeaveHoldUpNoJobAndNothingOfIts() throws Exception {
    Job job = job(LeavesThreads.class);
    assertSucceedsAsStock(job);
    begun.await();
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
    assertTrue(hanging.isAlive(), "what the user has started is his");
  }

  /** Throws what is neither exception nor error, as Scala's control flow is. */
  public static class ThrowsAnything extends Jobs.Words {
    @Override
    protected void cleanup(Context context) {
      sneak(new Throwable("on purpose"));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
      throw (E) thrown;
    }
  }

  @Test
  void whateverIsThrownFailsTheTask() throws Exception {
    Job job = job(ThrowsAnything.class);
    assertFalse(job.waitForCompletion(false));
    assertTrue(
        job.getStatus().getFailureInfo().contains("on purpose"), job.getStatus().getFailureInfo());
  }

  /** Its job's setup does not end by itself. */
  public static class HangingSetup extends TextOutputFormat<Text, IntWritable> {
    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      return new FileOutputCommitter(FileOutputFormat.getOutputPath(context), context) {
        @Override
        public void setupJob(JobContext job) throws IOException {
          begun.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        }
      };
    }
  }

  @Test
  void aJobThatHangsInItsSetupCanBeKilled() throws Exception {
    Job job = job(Jobs.Words.class);
    job.setOutputFormatClass(HangingSetup.class);
    job.submit();
    begun.await();
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
  }

  /** Each map has counters that no other has. */
  public static class ManyCounters extends Jobs.Words {
    @Override
    protected void setup(Context context) {
      for (int i = 0; i < 60; i++) {
        context.getCounter("user", context.getTaskAttemptID() + " " + i).increment(1);
      }
    }
  }

  @Test
  void moreCountersOverAllTasksThanAJobMayHave() throws Exception {
    Job job = job(ManyCounters.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertTrue(job.getCounters().countCounters() > 60, "what fits is kept");
  }

  /** Has more counters than it may, does not mind, and waits to be told so. */
  public static class TooManyCounters extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      try {
        for (int i = 0; i < 1_000; i++) {
          context.getCounter("user", "counter " + i).increment(1);
        }
      } catch (org.apache.hadoop.mapreduce.counters.LimitExceededException e) {
        context.progress();
      }
      release.await();
    }
  }

  @Test
  void countersThatCannotBeToldFailTheTaskAndNotTheProcess() throws Exception {
    jobs.conf().setLong(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, 100);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = job(TooManyCounters.class);
    assertFalse(job.waitForCompletion(false));
    assertTrue(
        job.getStatus().getFailureInfo().contains("status report cannot be read"),
        job.getStatus().getFailureInfo());
  }
}
