package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unmodified jobs in this process, beside stock's LocalJobRunner. */
@Timeout(300)
class LocalEngineTest {
  private static final String STOCK = "local";
  private static final String OURS = "sluice";
  private static final int FILES = 5;
  private static final int LINES = 4_000;

  /** What depends on the time, the memory or the number of spills. */
  private static final Set<String> OTHERS_MAY =
      Set.of(
          "GC_TIME_MILLIS",
          "COMMITTED_HEAP_BYTES",
          "SPILLED_RECORDS",
          "MAP_OUTPUT_MATERIALIZED_BYTES",
          "REDUCE_SHUFFLE_BYTES",
          "COMBINE_INPUT_RECORDS",
          "COMBINE_OUTPUT_RECORDS",
          "CPU_MILLISECONDS");

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), FILES, LINES);
    Jobs.FAILURES_LEFT.set(0);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    assertEquals(0, ProcessStore.of(jobs.conf()).stats().memory().usedBytes(), "memory");
    assertEquals(0, ProcessStore.of(jobs.conf()).stats().disk().usedBytes(), "disk");
    try (Stream<Path> left = Files.walk(directory.resolve("tmp"))) {
      assertEquals(
          List.of(),
          left.filter(Files::isRegularFile)
              .filter(file -> !file.toString().contains("/sluice/"))
              .toList());
    }
    List<String> threads =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.matches("sluice-(map|reduce|job) .*"))
            .toList();
    assertEquals(List.of(), threads);
  }

  private static Job run(Job job) throws Exception {
    job.waitForCompletion(false);
    return job;
  }

  private static TreeMap<String, Long> counters(Job job) throws IOException {
    TreeMap<String, Long> all = new TreeMap<>();
    for (CounterGroup group : job.getCounters()) {
      if (!group.getName().endsWith("FileSystemCounter")) {
        for (Counter counter : group) {
          if (!OTHERS_MAY.contains(counter.getName())) {
            all.put(group.getName() + " " + counter.getName(), counter.getValue());
          }
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @CsvSource({"1, false", "3, false", "3, true", "0, false"})
  void wordsAreCountedAsWithStock(int reduces, boolean combines) throws Exception {
    Job stock = run(jobs.wordCount(STOCK, reduces, combines));
    Job ours = run(jobs.wordCount(OURS, reduces, combines));
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
    assertEquals(counters(stock), counters(ours));
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "true, true"})
  void compressedAndEncryptedIntermediateData(boolean compressed, boolean encrypted)
      throws Exception {
    run(jobs.wordCount(STOCK, 2, false));
    jobs.conf().setBoolean("mapreduce.map.output.compress", compressed);
    jobs.conf().set("mapreduce.map.output.compress.codec", DefaultCodec.class.getName());
    jobs.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", encrypted);
    Job ours = run(jobs.wordCount(OURS, 2, false));
    assertTrue(ours.isSuccessful(), ours.getStatus().getFailureInfo());
    assertEquals(Jobs.contents(jobs.output(STOCK)), Jobs.contents(jobs.output(OURS)));
  }

  @Test
  void aTaskThatFailsIsTriedAgainAndReported() throws Exception {
    run(jobs.wordCount(STOCK, 2, false));
    Jobs.FAILURES_LEFT.set(3);
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
    assertEquals(3, failed.size());
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
  void aJobThatHangsCanBeKilled() throws Exception {
    Job ours = jobs.wordCount(OURS, 2, false);
    ours.setMapperClass(Jobs.HangingWords.class);
    ours.submit();
    while (ours.mapProgress() == 0) {
      TimeUnit.MILLISECONDS.sleep(10); // the client asks how it stands
    }
    ours.killJob();
    run(ours);
    assertEquals(JobStatus.State.KILLED, ours.getStatus().getState());
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
}
