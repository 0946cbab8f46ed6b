package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unmodified jobs in this process, beside stock's LocalJobRunner. */
@Timeout(300)
class LocalEngineTest {
  private static final String STOCK = "local";
  private static final String OURS = "sluice";
  private static final int FILES = 5;
  private static final int LINES = 4_000;

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), FILES, LINES);
    Jobs.FAILURES_LEFT.set(0);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  private static Job run(Job job) throws Exception {
    job.waitForCompletion(false);
    return job;
  }

  @ParameterizedTest
  @CsvSource({
    "1, false, pull", "3, false, pull", "3, true, pull", "0, false, auto",
    "3, false, push", "3, true, push", "3, false, hybrid", "3, true, hybrid"
  })
  void wordsAreCountedAsWithStock(int reduces, boolean combines, String exchange) throws Exception {
    jobs.exchange(exchange);
    Job stock = run(jobs.wordCount(STOCK, reduces, combines));
    Job ours = run(jobs.wordCount(OURS, reduces, combines));
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
    boolean combinesMaps = combines && !exchange.equals("pull");
    assertEquals(ComparedCounters.of(stock, combinesMaps), ComparedCounters.of(ours, combinesMaps));
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, pull",
    "false, true, pull",
    "true, true, pull",
    "true, true, push",
    "true, true, hybrid"
  })
  void compressedAndEncryptedIntermediateData(
      boolean compressed, boolean encrypted, String exchange) throws Exception {
    jobs.exchange(exchange);
    run(jobs.wordCount(STOCK, 2, false));
    jobs.conf().setBoolean("mapreduce.map.output.compress", compressed);
    jobs.conf().set("mapreduce.map.output.compress.codec", DefaultCodec.class.getName());
    jobs.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", encrypted);
    Job ours = run(jobs.wordCount(OURS, 2, false));
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
  }

  /** A map that fails has pushed records before, which must not be in the output twice. */
  @ParameterizedTest
  @ValueSource(strings = {"pull", "push", "hybrid"})
  void aTaskThatFailsIsTriedAgainAndReported(String exchange) throws Exception {
    jobs.exchange(exchange);
    run(jobs.wordCount(STOCK, 2, false));
    Jobs.FAILURES_LEFT.set(2);
    Job ours = jobs.wordCount(OURS, 2, false);
    ours.setMapperClass(Jobs.FailingWords.class);
    run(ours);
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
    List<TaskCompletionEvent> failed = new ArrayList<>();
    for (TaskCompletionEvent event : ours.getTaskCompletionEvents(0, 100)) {
      if (event.getStatus() == TaskCompletionEvent.Status.FAILED) {
        failed.add(event);
      }
    }
    // Where maps share sort buffers, the first failure ends all of them.
    assertTrue(exchange.equals("pull") ? failed.size() == 2 : !failed.isEmpty(), failed.toString());
    String[] diagnostics = ours.getTaskDiagnostics(failed.get(0).getTaskAttemptId());
    assertTrue(
        String.join(" ", diagnostics).contains("on purpose"), List.of(diagnostics).toString());
    for (TaskReport report : ours.getTaskReports(TaskType.MAP)) {
      assertEquals(1f, report.getProgress(), report.toString());
    }
  }

  @Test
  void aTaskThatAlwaysFailsFailsTheJobWithItsReason() throws Exception {
    Jobs.FAILURES_LEFT.set(Integer.MAX_VALUE);
    Job ours = jobs.wordCount(OURS, 2, false);
    ours.setMapperClass(Jobs.FailingWords.class);
    run(ours);
    assertFalse(ours.isSuccessful());
    assertTrue(
        ours.getStatus().getFailureInfo().contains("on purpose"),
        ours.getStatus().getFailureInfo());
    assertFalse(Files.exists(jobs.output(OURS).resolve("_SUCCESS")));
  }

  @Test
  void jobsFollowOneAnotherInOneStore() throws Exception {
    for (int i = 0; i < 5; i++) {
      Job ours = jobs.wordCount(OURS, 2, true);
      run(ours);
      assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
      try (Stream<Path> files = Files.walk(jobs.output(OURS))) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Asks where its split lies, and what Hadoop's own code has counted of it. */
  public static class Asks extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      long counted = context.getCounter(FileInputFormatCounter.BYTES_READ).getValue();
      String scheme = ((FileSplit) context.getInputSplit()).getPath().toUri().getScheme();
      context.write(new Text(scheme + " " + counted), new IntWritable(1));
    }
  }

  @Test
  void hadoopsTaskCodeAddsUpNothingForEachRecordAndTheUserSeesTheFile() throws Exception {
    Job ours = jobs.wordCount(OURS, 1, false);
    ours.setMapperClass(Asks.class);
    run(ours);
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    String output = Jobs.contents(jobs.output(OURS)).toString();
    assertTrue(output.contains("file 0\t" + FILES), "counted in the task");
    assertTrue(
        ours.getCounters().findCounter(FileInputFormatCounter.BYTES_READ).getValue() > 0,
        "counted by us");
  }

  /** Has more counters than Hadoop allows by default. */
  public static class Counts extends Jobs.Words {
    @Override
    protected void cleanup(Context context) {
      for (int i = 0; i < 200; i++) {
        context.getCounter("of the user", "counter " + i).increment(1);
      }
    }
  }

  /** Hadoop reads the limit once in a process; stock's LocalJobRunner ends that process. */
  @Test
  void aJobsOwnLimitOfCountersHasNoEffect() throws Exception {
    jobs.conf().setInt(MRJobConfig.COUNTERS_MAX_KEY, 1_000);
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Counts.class);
    run(job);
    assertFalse(job.isSuccessful());
    assertTrue(
        job.getStatus().getFailureInfo().contains("Too many counters"),
        job.getStatus().getFailureInfo());
  }
}
