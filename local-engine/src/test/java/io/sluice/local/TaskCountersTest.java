package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is counted for each of several tasks of one process: its own doing. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TaskCountersTest {
  private static final String SIZE = "size";
  private static final String INPUT = "input";
  private static final long BURNT_MS = 300;
  private static final int SMALL_LINES = 100;
  private static final int LARGE_LINES = 20_000;

  /** Checksums, and what a task reads of its job besides. */
  private static final long BESIDES_BYTES = 20_000;

  private static volatile CyclicBarrier together;

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, SMALL_LINES);
    Path input = directory.resolve(INPUT);
    Files.move(input.resolve("file0"), input.resolve("small"));
    jobs.writeWords(TestSeed.random(), 1, LARGE_LINES);
    together = new CyclicBarrier(2);
    jobs.conf().setInt("sluice.local.map-threads", 2);
  }

  /** Both maps read their files at the same time; the one of the small file computes as well. */
  public static class Together extends Jobs.Words {
    private long fileBytes;

    @Override
    protected void setup(Context context) throws InterruptedException {
      fileBytes = ((FileSplit) context.getInputSplit()).getLength();
      context.getCounter(SIZE, SIZE).increment(fileBytes);
      meet();
    }

    private static void meet() throws InterruptedException {
      try {
        together.await();
      } catch (java.util.concurrent.BrokenBarrierException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected void cleanup(Context context) throws InterruptedException {
      if (fileBytes < BESIDES_BYTES) {
        burn();
        System.gc(); // which both have to answer for
      }
      meet();
    }

    private static void burn() {
      long endNs = cpuNs() + TimeUnit.MILLISECONDS.toNanos(BURNT_MS);
      while (cpuNs() - endNs < 0) {
        Thread.onSpinWait();
      }
    }

    private static long cpuNs() {
      return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
  }

  private static long processCpuMs() {
    return TimeUnit.NANOSECONDS.toMillis(
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime());
  }

  private static long gcMs() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  private static long value(Counters counters, Enum<?> counter) {
    return counters.findCounter(counter).getValue();
  }

  private static long file(Counters counters, FileSystemCounter counter) {
    return counters.findCounter("file", counter).getValue();
  }

  private static void assertAbout(long expectedBytes, long countedBytes) {
    assertTrue(
        countedBytes >= expectedBytes
            && countedBytes <= expectedBytes + expectedBytes / 50 + BESIDES_BYTES,
        countedBytes + " instead of about " + expectedBytes);
  }

  @Test
  void tasksThatRunAtATimeCountWhatEachOfThemDoes() throws Exception {
    long cpuMs = processCpuMs();
    long gcMs = gcMs();
    Job job = jobs.wordCount("sluice", 2, false);
    job.setMapperClass(Together.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    cpuMs = processCpuMs() - cpuMs;
    gcMs = gcMs() - gcMs;
    TreeMap<Long, Counters> maps = new TreeMap<>();
    for (TaskReport map : job.getTaskReports(TaskType.MAP)) {
      Counters counters = map.getTaskCounters();
      maps.put(counters.findCounter(SIZE, SIZE).getValue(), counters);
    }
    assertEquals(2, maps.size());
    for (Map.Entry<Long, Counters> map : maps.entrySet()) {
      assertAbout(map.getKey(), file(map.getValue(), FileSystemCounter.BYTES_READ));
      assertEquals(map.getKey(), value(map.getValue(), FileInputFormatCounter.BYTES_READ));
      assertTrue(file(map.getValue(), FileSystemCounter.BYTES_WRITTEN) < BESIDES_BYTES);
    }
    assertTrue(value(maps.firstEntry().getValue(), TaskCounter.CPU_MILLISECONDS) >= BURNT_MS);
    long writtenBytes = 0;
    for (TaskReport reduce : job.getTaskReports(TaskType.REDUCE)) {
      Counters counters = reduce.getTaskCounters();
      long ofOutput = value(counters, FileOutputFormatCounter.BYTES_WRITTEN);
      assertAbout(ofOutput, file(counters, FileSystemCounter.BYTES_WRITTEN));
      assertTrue(file(counters, FileSystemCounter.BYTES_READ) < BESIDES_BYTES);
      writtenBytes += ofOutput;
    }
    assertAbout( // stock counts checksums, too
        Jobs.contents(jobs.output("sluice")).stream()
            .mapToLong(file -> file.length() - file.indexOf(' ') - 1)
            .sum(),
        writtenBytes);
    Counters all = job.getCounters();
    assertTrue(value(all, TaskCounter.CPU_MILLISECONDS) <= cpuMs, "CPU of " + cpuMs + " ms");
    assertTrue(value(all, TaskCounter.GC_TIME_MILLIS) <= gcMs + 2, "GC of " + gcMs + " ms");
  }
}
