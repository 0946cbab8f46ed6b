package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job that fails or is killed logs: each attempt in one line, each cause's trace once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NoiseTest {
  /** What warns of how the test submits its jobs, and of interrupts outside tasks' code. */
  private static final Set<String> NOT_OF_JOBS =
      Set.of(
          "org.apache.hadoop.util.Shell", // its chmod, where Hadoop has no native library
          "org.apache.hadoop.mapreduce.JobResourceUploader",
          "org.apache.hadoop.util.NativeCodeLoader");

  private static volatile CountDownLatch begun;

  @TempDir private Path directory;
  private Jobs jobs;
  private final Log log = new Log();
  private Level levelBefore;

  /** What the process logs at INFO. */
  private static final class Log extends AppenderSkeleton {
    /** Threads of earlier tests, which may go on; what they log of no job of this one is theirs. */
    private final Set<Thread> earlier = Set.copyOf(Thread.getAllStackTraces().keySet());

    private final List<LoggingEvent> events = new ArrayList<>();
    private final List<LoggingEvent> ofEarlier = new ArrayList<>();

    @Override
    protected synchronized void append(LoggingEvent event) {
      if (!NOT_OF_JOBS.contains(event.getLoggerName())) {
        event.getThrowableStrRep(); // of now
        (earlier.contains(Thread.currentThread()) ? ofEarlier : events).add(event);
      }
    }

    private Stream<LoggingEvent> of(Job job) {
      String number = job.getJobID().toString().substring("job_".length());
      return Stream.concat(
          events.stream(),
          ofEarlier.stream().filter(event -> event.getRenderedMessage().contains(number)));
    }

    synchronized List<String> warnings(Job job) {
      return of(job)
          .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
          .map(LoggingEvent::getRenderedMessage)
          .toList();
    }

    synchronized List<String> traces(Job job) {
      return of(job)
          .filter(
              event ->
                  event.getThrowableStrRep() != null
                      || event.getRenderedMessage().contains("\tat "))
          .map(LoggingEvent::getRenderedMessage)
          .toList();
    }

    @Override
    public boolean requiresLayout() {
      return false;
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 3, 20);
    begun = new CountDownLatch(1);
    levelBefore = Logger.getRootLogger().getLevel();
    Logger.getRootLogger().setLevel(Level.INFO);
    Logger.getRootLogger().addAppender(log);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Logger.getRootLogger().removeAppender(log);
    Logger.getRootLogger().setLevel(levelBefore);
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  /** Fails always. */
  public static class Fails extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws IOException {
      throw new IOException("on purpose, at " + context.getTaskAttemptID());
    }
  }

  /** Fails always. */
  public static class FailingReduce extends Jobs.Sum {
    @Override
    protected void cleanup(Context context) throws IOException {
      throw new IOException("on purpose, at " + context.getTaskAttemptID());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"map", "reduce", "map alone", "hybrid"})
  void aFailedJobShowsItsCauseOnce(String what) throws Exception {
    jobs.conf().setInt("sluice.local.map-threads", 1);
    jobs.conf().setInt("sluice.local.reduce-threads", 1);
    jobs.conf().set("sluice.local.exchange", what.equals("hybrid") ? "hybrid" : "pull");
    Job job = jobs.wordCount("sluice", what.equals("map alone") ? 0 : 1, false);
    if (what.equals("reduce")) {
      job.setReducerClass(FailingReduce.class);
    } else {
      job.setMapperClass(Fails.class);
    }
    assertFalse(job.waitForCompletion(false));
    assertEquals(1, log.traces(job).size(), log.traces(job).toString());
    long failed = 0;
    for (TaskCompletionEvent event : job.getTaskCompletionEvents(0, 100)) {
      if (event.getStatus() == TaskCompletionEvent.Status.FAILED) {
        failed++;
        String trace = String.join("", job.getTaskDiagnostics(event.getTaskAttemptId()));
        assertTrue(trace.contains("Task.run("), trace);
        assertFalse(trace.contains("io.sluice.local.task"), trace);
      }
    }
    List<String> warnings = log.warnings(job);
    assertTrue(failed >= 4, "failed attempts: " + failed);
    assertEquals(failed + 1, warnings.size(), String.join("\n", warnings));
    assertTrue(warnings.get(warnings.size() - 1).startsWith(job.getJobID() + " failed: "));
  }

  /** Waits for its end. */
  public static class Hangs extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      begun.countDown();
      new CountDownLatch(1).await();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aKilledJobWarnsOfNothing(int reduces) throws Exception {
    Job job = jobs.wordCount("sluice", reduces, false);
    job.setMapperClass(Hangs.class);
    job.submit();
    begun.await();
    job.killJob();
    assertFalse(job.waitForCompletion(false));
    assertEquals(List.of(), log.warnings(job));
    assertEquals(List.of(), log.traces(job));
  }

  @Test
  void aJobThatSucceedsWarnsOfNothing() throws Exception {
    jobs.conf().setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 1);
    Job job = jobs.wordCount("sluice", 1, false);
    assertTrue(job.waitForCompletion(false));
    assertEquals(List.of(), log.warnings(job));
  }
}
