package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.reduce.Events.map;
import static io.sluice.hadoop.reduce.Events.succeeded;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchFailures.Verdict;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleSchedulerImpl;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same failures told to stock's scheduler and to ours have the same consequences. */
final class FetchFailuresTest {
  private static final String HOST = "node1:13562";
  private static final int HOUR_MS = 3_600_000;

  /** The other one is of services, which stock has none of. */
  private static final Kind[] STOCKS_KINDS = {
    Kind.CONNECT, Kind.UNREACHED, Kind.REFUSED, Kind.READ
  };

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 5, 6, 30, 400})
  void sameReportsAndSameEndAsStock(int maps) throws Exception {
    Random random = TestSeed.random();
    for (int round = 0; round < 10; round++) {
      compareWithStock(maps, random);
    }
  }

  private static void compareWithStock(int maps, Random random) throws Exception {
    JobConf job = new JobConf(false);
    job.setNumMapTasks(maps);
    job.setInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 1 + random.nextInt(5));
    job.setBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, random.nextBoolean());
    job.setInt(MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES, 1 + random.nextInt(8));
    Stock stock = new Stock(job);
    FetchFailures ours = new FetchFailures(FetchPolicy.of(job), maps, 0);
    // A map that ran for an hour: whether a test's milliseconds are a stall decides nothing.
    stock.scheduler.resolve(succeeded(map(0, 0), HOST, HOUR_MS));
    ours.mapRan(HOUR_MS);
    boolean[] done = new boolean[maps];
    int doneMaps = 0;
    int successPercent = random.nextInt(80);
    for (int step = 0; step < 3 * maps + 40 && stock.failure == null; step++) {
      int index = random.nextInt(maps);
      if (done[index]) {
        continue;
      }
      if (random.nextInt(100) < successPercent) {
        done[index] = true;
        doneMaps++;
        stock.succeed(map(index, 0));
        ours.forget(map(index, 0), HOST);
        ours.progressed(0);
        continue;
      }
      Kind kind = STOCKS_KINDS[random.nextInt(STOCKS_KINDS.length)];
      int reportsBefore = stock.status.reported;
      stock.fail(map(index, 0), kind);
      ours.hostFailed(HOST);
      Verdict verdict = ours.failed(map(index, 0), HOST, kind, doneMaps, 0);
      assertEquals(stock.status.reported > reportsBefore, verdict.report(), "report " + step);
      assertEquals(stock.failure != null, verdict.hopeless().isPresent(), "hopeless " + step);
    }
    stock.scheduler.close();
  }

  @Test
  void stallIsMeasuredAgainstTheLongestMap() {
    FetchPolicy policy = new FetchPolicy(10, true, 5, 60_000, 180_000, 30_000, 1_000, 3);
    long minuteNs = TimeUnit.MINUTES.toNanos(1);
    FetchFailures ours = new FetchFailures(policy, 10, 0);
    ours.mapRan((int) TimeUnit.MINUTES.toMillis(10));
    ours.progressed(minuteNs);
    Verdict verdict = null;
    for (int i = 0; i < 10; i++) {
      verdict = ours.failed(map(i % 5, 0), HOST, Kind.READ, 5, 5 * minuteNs);
    }
    assertFalse(verdict.hopeless().isPresent(), "4 of 10 minutes without progress");
    verdict = ours.failed(map(0, 0), HOST, Kind.READ, 5, 6 * minuteNs);
    assertTrue(verdict.hopeless().isPresent(), "5 of 10 minutes without progress");
  }

  /** Where none of its outputs can be read, a job of one reduce has nobody else to say so. */
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 400})
  void whatWasWaitedForEndsNoAttemptBeforeItsMapMayBeRunAgain(int maps) {
    JobConf job = new JobConf(false);
    job.setInt(MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS, 4);
    FetchFailures ours = new FetchFailures(FetchPolicy.of(job), maps, 0);
    for (int report = 1; report <= 4; report++) {
      for (int i = 0; i < maps; i++) {
        Verdict verdict = ours.failed(map(i, 0), HOST, Kind.WAITED, 0, 0);
        assertTrue(verdict.report(), "report " + report + " of " + i);
        assertFalse(verdict.hopeless().isPresent(), "report " + report + " of " + i);
      }
    }
    boolean hopeless = false;
    for (int i = 0; i < maps; i++) {
      hopeless |= ours.failed(map(i, 0), HOST, Kind.WAITED, 0, 0).hopeless().isPresent();
    }
    assertTrue(hopeless, "then by stock's rule: it may be this reduce's host");
  }

  /** Its host may be the one that reaches nobody. */
  @Test
  void theFirstAttemptFailsAsStocksDoes() {
    FetchPolicy policy = FetchPolicy.of(new JobConf(false)).ofFirstAttempt();
    FetchFailures ours = new FetchFailures(policy, 8, 0);
    boolean hopeless = false;
    for (int i = 0; i < 8; i++) {
      hopeless |= ours.failed(map(i, 0), HOST, Kind.WAITED, 0, 0).hopeless().isPresent();
    }
    assertTrue(hopeless);
  }

  /** A site may not want maps to be run again. */
  @Test
  void whatIsWaitedForCountsAtLastHoweverManyReportsAreAskedFor() {
    JobConf job = new JobConf(false);
    job.setInt(MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS, Integer.MAX_VALUE);
    FetchFailures ours = new FetchFailures(FetchPolicy.of(job), 1, 0);
    int failures = 0;
    while (ours.failed(map(0, 0), HOST, Kind.WAITED, 0, 0).hopeless().isEmpty()) {
      failures++;
    }
    assertEquals(30, failures);
  }

  @Test
  void waitingBeginsAnewForWhatWasDelivered() {
    FetchFailures ours = new FetchFailures(FetchPolicy.of(new JobConf(false)), 1, 0);
    for (int i = 0; i < 10; i++) {
      assertFalse(ours.failed(map(0, 0), HOST, Kind.WAITED, 0, 0).hopeless().isPresent());
      ours.forget(map(0, 0), HOST);
    }
  }

  private static final class Stock {
    final CountingStatus status = new CountingStatus();
    final MapHost host = new MapHost(HOST, "http://" + HOST);
    final ShuffleSchedulerImpl<Object, Object> scheduler;
    Throwable failure;

    Stock(JobConf job) {
      scheduler =
          new ShuffleSchedulerImpl<>(
              job,
              status,
              Events.reduce(0),
              e -> failure = e,
              new Progress(),
              new Counters().findCounter("test", "shuffled"),
              new Counters().findCounter("test", "bytes"),
              new Counters().findCounter("test", "failed"));
    }

    void fail(TaskAttemptID map, Kind kind) {
      scheduler.hostFailed(HOST);
      scheduler.copyFailed(map, host, kind == Kind.READ, kind == Kind.CONNECT);
    }

    void succeed(TaskAttemptID map) throws IOException {
      scheduler.copySucceeded(map, host, 1, 0, 1, new NoOutput(map));
    }
  }

  private static final class CountingStatus extends TaskStatus {
    int reported;

    @Override
    public boolean getIsMap() {
      return false;
    }

    @Override
    public void addFetchFailedMap(TaskAttemptID map) {
      reported++;
    }
  }

  private static final class NoOutput extends MapOutput<Object, Object> {
    NoOutput(TaskAttemptID map) {
      super(map, 1, true);
    }

    @Override
    public void shuffle(
        MapHost host,
        InputStream input,
        long compressedLength,
        long decompressedLength,
        ShuffleClientMetrics metrics,
        Reporter reporter) {}

    @Override
    public void commit() {}

    @Override
    public void abort() {}

    @Override
    public String getDescription() {
      return "nothing";
    }
  }
}
