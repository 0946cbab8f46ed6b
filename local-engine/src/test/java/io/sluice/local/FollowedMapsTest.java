package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reduces that take in what maps have put out while others run. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class FollowedMapsTest {
  private static final String STOCK = "local";
  private static final String OURS = "sluice";
  private static final int MAPS = 40;
  private static final int REDUCES = 2;
  private static final long WAIT_S = 100;

  private static volatile CountDownLatch merging;
  private static volatile CountDownLatch mayEnd;
  private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();

  @TempDir private Path directory;
  private Jobs jobs;
  private Job stock;

  @BeforeEach
  void write() throws Exception {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), MAPS, 20);
    // The shortest split is the last to begin.
    Files.writeString(directory.resolve("input").resolve("last"), "word1");
    jobs.conf().setFloat(MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, 0);
    jobs.conf().set("sluice.local.exchange", "pull");
    jobs.conf().setInt("sluice.local.reduce-threads", REDUCES);
    merging = new CountDownLatch(1);
    mayEnd = new CountDownLatch(0);
    FAILURES_LEFT.set(0);
    stock = jobs.wordCount(STOCK, REDUCES, false);
    assertTrue(stock.waitForCompletion(false), stock.getStatus().getFailureInfo());
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    mayEnd.countDown();
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  /** Few runs can be merged at once where each has a reader that holds much. */
  private void fewAtOnce() {
    jobs.conf().setBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, true);
    jobs.conf().set(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, BZip2Codec.class.getName());
  }

  private static boolean isLast(org.apache.hadoop.mapreduce.Mapper<?, ?, ?, ?>.Context context) {
    return ((FileSplit) context.getInputSplit()).getPath().getName().equals("last");
  }

  private static void await(CountDownLatch latch) throws IOException, InterruptedException {
    if (!latch.await(WAIT_S, TimeUnit.SECONDS)) {
      throw new IOException("nobody came");
    }
  }

  /** The last map ends when a reduce has begun to merge, and the test lets it. */
  public static class Words extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      if (isLast(context)) {
        await(merging);
        await(mayEnd);
      }
    }
  }

  /** Knows who compares. */
  public static class Order extends Text.Comparator {
    @Override
    public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
      if (Thread.currentThread().getName().startsWith("sluice-reduce ")) {
        merging.countDown();
      }
      return super.compare(b1, s1, l1, b2, s2, l2);
    }
  }

  private Job merging(Class<? extends Jobs.Words> mapper) throws IOException {
    fewAtOnce();
    Job job = jobs.wordCount(OURS, REDUCES, false);
    job.setMapperClass(mapper);
    job.setSortComparatorClass(Order.class);
    return job;
  }

  private void isAsStock(Job ours) throws Exception {
    assertTrue(ours.waitForCompletion(false), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
    assertEquals(ComparedCounters.of(stock, false), ComparedCounters.of(ours, false));
  }

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "2, true"})
  void roundsAreMergedBeforeTheLastMapEnds(int threads, boolean encrypted) throws Exception {
    jobs.conf().setInt("sluice.local.map-threads", threads);
    jobs.conf().setInt("sluice.local.sort-threads", threads);
    jobs.conf().setInt("sluice.local.reduce-threads", threads);
    jobs.conf().setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, encrypted);
    Job ours = merging(Words.class);
    assertTrue(ours.waitForCompletion(false), ours.getStatus().getFailureInfo());
    long records = ours.getCounters().findCounter(TaskCounter.MAP_OUTPUT_RECORDS).getValue();
    long spilled = ours.getCounters().findCounter(TaskCounter.SPILLED_RECORDS).getValue();
    assertTrue(spilled > records, spilled + " records spilled of " + records);
    isAsStock(ours);
  }

  /** Fails after its records are in the store. */
  public static class FailsOnce extends Jobs.Sum {
    @Override
    protected void cleanup(Context context) throws IOException {
      if (FAILURES_LEFT.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("on purpose");
      }
    }
  }

  @Test
  void aReduceThatFailsAfterRoundsFindsAllAgain() throws Exception {
    FAILURES_LEFT.set(2);
    Job ours = merging(Words.class);
    ours.setReducerClass(FailsOnce.class);
    isAsStock(ours);
    assertEquals(0, FAILURES_LEFT.get());
  }

  /** Some fail after they have written; what follows them is another attempt. */
  public static class FailingWords extends Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      if (!isLast(context)
          && context.getTaskAttemptID().getId() == 0
          && context.getTaskAttemptID().getTaskID().getId() % 3 == 0) {
        throw new IOException("on purpose");
      }
      super.cleanup(context);
    }
  }

  @Test
  void mapsThatFailAndAreTriedAgainAreTakenInOnce() throws Exception {
    isAsStock(merging(FailingWords.class));
  }

  private static TaskReport awaitCopied(Job job, String state) throws Exception {
    while (true) { // a client can only ask
      for (TaskReport report : job.getTaskReports(TaskType.REDUCE)) {
        if (report.getState().contains(state)) {
          return report;
        }
      }
      assertFalse(job.isComplete(), job.getStatus().getFailureInfo());
      Jobs.pause();
    }
  }

  private Job held() throws Exception {
    merging = new CountDownLatch(0);
    mayEnd = new CountDownLatch(1);
    jobs.conf().setLong(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, 50);
    Job job = jobs.wordCount(OURS, REDUCES, false);
    job.setMapperClass(Words.class);
    job.submit();
    return job;
  }

  @Test
  void progressAndCountersOfTheCopyAreSeenWhileMapsRun() throws Exception {
    Job job = held();
    TaskReport report = awaitCopied(job, "copy(" + MAPS + " of " + (MAPS + 1) + ")");
    assertTrue(report.getProgress() > 0.25f && report.getProgress() < 1 / 3f, report.toString());
    assertEquals(MAPS, report.getTaskCounters().findCounter(TaskCounter.SHUFFLED_MAPS).getValue());
    assertTrue(
        report.getTaskCounters().findCounter(TaskCounter.REDUCE_SHUFFLE_BYTES).getValue() > 0);
    mayEnd.countDown();
    isAsStock(job);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAttemptThatFollowsIsKilledAndTheNextTakesItsPlace(boolean fails) throws Exception {
    Job job = held();
    TaskReport report = awaitCopied(job, "copy(" + MAPS + " of " + (MAPS + 1) + ")");
    var attempt = report.getRunningTaskAttemptIds().iterator().next();
    if (fails) {
      job.failTask(attempt);
    } else {
      job.killTask(attempt);
    }
    while (job.getTaskReports(TaskType.REDUCE)[attempt.getTaskID().getId()]
        .getRunningTaskAttemptIds()
        .contains(attempt)) {
      assertFalse(job.isComplete(), "the map is held");
      Jobs.pause();
    }
    mayEnd.countDown();
    isAsStock(job);
  }

  @Test
  void aJobIsKilledWhileReducesFollow() throws Exception {
    Job job = held();
    awaitCopied(job, "copy(" + MAPS + " of " + (MAPS + 1) + ")");
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
  }

  /** Writes much and then fails. */
  public static class FailingAtTheEnd extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException {
      throw new IOException("on purpose");
    }
  }

  /** Counts what is compared. */
  public static class Counting extends Text.Comparator {
    static final AtomicInteger COMPARED = new AtomicInteger();

    @Override
    public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
      COMPARED.incrementAndGet();
      return super.compare(b1, s1, l1, b2, s2, l2);
    }
  }

  @Test
  void aMapThatFailsSortsNothingOfWhatItHolds() throws Exception {
    Counting.COMPARED.set(0);
    Job job = jobs.wordCount(OURS, REDUCES, false);
    job.getConfiguration().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    job.setMapperClass(FailingAtTheEnd.class);
    job.setSortComparatorClass(Counting.class);
    assertFalse(job.waitForCompletion(false));
    assertTrue(job.getStatus().getFailureInfo().contains("on purpose"));
    assertEquals(0, Counting.COMPARED.get());
  }
}
