package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits that a job's settings set: of tasks at a time, of failures, of what may be written. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class JobLimitsTest {
  private static final int MAPS = 5;
  private static final long BESIDE_MS = 300;

  private static final AtomicInteger RUNNING = new AtomicInteger();
  private static volatile CountDownLatch beside;

  private static final String PINGS = "mapreduce.task.ping-for-liveliness-check.enabled";

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), MAPS, 40);
    beside = new CountDownLatch(1);
    RUNNING.set(0);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  private Job job(int reduces) throws IOException {
    return jobs.wordCount("sluice", reduces, false);
  }

  private static void runs() throws InterruptedException {
    if (RUNNING.incrementAndGet() > 1) {
      beside.countDown();
    }
    assertFalse(beside.await(BESIDE_MS, TimeUnit.MILLISECONDS), "two tasks run beside each other");
    RUNNING.decrementAndGet();
  }

  /** Tells whether another runs beside it. */
  public static class CountedMaps extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      runs();
    }
  }

  /** Tells whether another runs beside it. */
  public static class CountedReduces extends Jobs.Sum {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      runs();
    }
  }

  @ParameterizedTest
  @CsvSource({"map, pull", "map, hybrid", "map, push", "reduce, pull"})
  void asManyTasksRunAtATimeAsTheJobAllows(String what, String exchange) throws Exception {
    jobs.conf().set("sluice.local.exchange", exchange);
    jobs.conf().setInt("sluice.local.map-threads", 4);
    jobs.conf().setInt("sluice.local.reduce-threads", 4);
    jobs.conf().setInt("mapreduce.job.running." + what + ".limit", 1);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    jobs.conf().setInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 1);
    Job job = job(3);
    if (what.equals("map")) {
      job.setMapperClass(CountedMaps.class);
    } else {
      job.setReducerClass(CountedReduces.class);
    }
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  /** The last one fails whenever it is tried. */
  public static class LastFails extends Jobs.Words {
    @Override
    protected void map(LongWritable offset, Text line, Context context) throws IOException {
      try {
        context.write(
            new Text("of map " + context.getTaskAttemptID().getTaskID().getId()),
            new IntWritable(1));
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      if (context.getTaskAttemptID().getTaskID().getId() == MAPS - 1) {
        throw new IOException("on purpose");
      }
    }
  }

  /** The last one fails whenever it is tried. */
  public static class LastReduceFails extends Jobs.Sum {
    @Override
    protected void cleanup(Context context) throws IOException {
      if (context.getTaskAttemptID().getTaskID().getId() == MAPS - 1) {
        throw new IOException("on purpose");
      }
    }
  }

  private static long failed(Job job, TaskType type) throws Exception {
    long failed = 0;
    for (TaskReport report : job.getTaskReports(type)) {
      failed += report.getCurrentStatus() == TIPStatus.FAILED ? 1 : 0;
    }
    return failed;
  }

  @ParameterizedTest
  @CsvSource({"pull, 20, true", "hybrid, 20, true", "push, 20, true", "pull, 19, false"})
  void aPercentageOfMapsMayFail(String exchange, int percent, boolean succeeds) throws Exception {
    jobs.conf().set("sluice.local.exchange", exchange);
    jobs.conf().setInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, percent);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 2);
    Job job = job(1);
    job.setMapperClass(LastFails.class);
    assertEquals(succeeds, job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(1, failed(job, TaskType.MAP));
    if (succeeds) {
      String output = Files.readString(jobs.output("sluice").resolve("part-r-00000"));
      assertTrue(output.contains("of map 0\t40"), output);
      assertFalse(output.contains("of map " + (MAPS - 1)), output);
    }
  }

  @ParameterizedTest
  @CsvSource({"20, true", "19, false"})
  void aPercentageOfReducesMayFail(int percent, boolean succeeds) throws Exception {
    jobs.conf().setInt(MRJobConfig.REDUCE_FAILURES_MAXPERCENT, percent);
    jobs.conf().setInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 2);
    Job job = job(MAPS);
    job.setReducerClass(LastReduceFails.class);
    assertEquals(succeeds, job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(1, failed(job, TaskType.REDUCE));
    if (succeeds) {
      assertTrue(Files.exists(jobs.output("sluice").resolve("part-r-00000")));
      assertFalse(Files.exists(jobs.output("sluice").resolve("part-r-00004")));
    }
  }

  /** Writes a file of 1 MB beside its output. */
  public static class WritesMuch extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      org.apache.hadoop.fs.Path side =
          new org.apache.hadoop.fs.Path(FileOutputFormat.getWorkOutputPath(context), "side");
      try (FSDataOutputStream out = FileSystem.getLocal(context.getConfiguration()).create(side)) {
        out.write(new byte[1_000_000]);
      }
    }
  }

  @Test
  void aTaskThatWritesMoreLocalBytesThanItMayFails() throws Exception {
    jobs.conf().setLong(MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES, 500_000);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = job(1);
    job.setMapperClass(WritesMuch.class);
    assertFalse(job.waitForCompletion(false));
    assertTrue(
        job.getStatus().getFailureInfo().contains("allows 500000"),
        job.getStatus().getFailureInfo());
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 509_103_844})
  void aJobThatCannotBeIsRefusedWhenItIsSubmitted(int reduces) throws Exception {
    Job job = job(1);
    job.setNumReduceTasks(reduces);
    String message = assertThrows(IOException.class, job::submit).getMessage();
    assertEquals(
        ("The job is refused because of its settings: mapreduce.job.reduces is %d; expected a whole"
                + " number from 0 to 100000")
            .formatted(reduces),
        message);
  }

  /** Tells nothing of its progress for longer than it may; goes on if pings count. */
  public static class SilentWords extends Jobs.Words {
    @Override
    protected void setup(Context context) throws InterruptedException {
      boolean pings = context.getConfiguration().getBoolean(PINGS, true);
      beside.await(pings ? 4 : 240, TimeUnit.SECONDS); // nobody counts it down
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSilentTaskMayGoOnIfPingsCount(boolean pings) throws Exception {
    jobs.conf().setBoolean(PINGS, pings);
    jobs.conf().setLong(MRJobConfig.TASK_TIMEOUT, 2_000);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = job(1);
    job.setMapperClass(SilentWords.class);
    assertEquals(pings, job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  @Test
  void stagingLiesWhereTheClientSays() throws Exception {
    jobs.conf()
        .set("mapreduce.jobtracker.staging.root.dir", directory.resolve("staging").toString());
    Job job = job(1);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertTrue(job.getStatus().getJobFile().contains(directory.resolve("staging").toString()));
  }
}
