package io.sluice.hadoop.reduce;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the ApplicationMaster once a second which maps have ended, as stock's {@code EventFetcher}
 * does. Each question also shows that this task lives.
 *
 * <p>While only the last maps are missing it asks more often, since the reduce can do nothing until
 * it knows of them. It waits a twentieth of the time since the last news, so a straggler costs few
 * questions. Each question is a line of the ApplicationMaster's log, so the more reduces there are,
 * the less often each asks.
 *
 * <p>Thread contract: {@link #run} on a thread of its own, ended by an interrupt. Failure: after
 * {@link #MAX_FAILURES} failed questions in a row the schedule fails.
 */
final class CompletionPoller implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

  private static final int PERIOD_MS = 1000;
  private static final int SHORTEST_PERIOD_MS = 100;
  private static final int LAST_MAPS = 16;
  private static final int PERIODS_OF_A_WAIT = 20;

  /** By all reduces of a job together, unless one question a second of each is more. */
  private static final int MAX_QUESTIONS_PER_S = 200;

  private static final int MAX_FAILURES = 10;
  private static final long FAILURE_PERIOD_MS = 5000;
  private static final int MIN_EVENTS = 100;
  private static final int MAX_EVENTS = 10_000;
  private static final int MAX_EVENTS_OF_ALL_REDUCES = 3_000_000;

  private final TaskUmbilicalProtocol umbilical;
  private final TaskAttemptID reduce;
  private final FetchSchedule schedule;
  private final int reduces;
  private final int maxEvents;
  private final LongSupplier nanoClock;
  private final Pause pause;
  private int nextEvent;
  private long lastEventNs;

  /** {@link Thread#sleep(long)}, or a test's. */
  interface Pause {
    void ms(long ms) throws InterruptedException;
  }

  CompletionPoller(
      TaskUmbilicalProtocol umbilical,
      TaskAttemptID reduce,
      int reduces,
      FetchSchedule schedule,
      LongSupplier nanoClock,
      Pause pause) {
    this.umbilical = umbilical;
    this.reduce = reduce;
    this.schedule = schedule;
    this.nanoClock = nanoClock;
    this.pause = pause;
    this.lastEventNs = nanoClock.getAsLong();
    this.reduces = Math.max(1, reduces);
    this.maxEvents =
        Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, MAX_EVENTS_OF_ALL_REDUCES / this.reduces));
  }

  @Override
  public void run() {
    int failures = 0;
    try {
      while (!schedule.isOver()) {
        try {
          poll();
          failures = 0;
          long idleMs = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - lastEventNs);
          pause.ms(periodMs(schedule.remainingMaps(), reduces, idleMs));
        } catch (IOException e) {
          if (++failures >= MAX_FAILURES) {
            throw new IOException(failures + " questions for completed maps failed in a row", e);
          }
          LOG.info("Asking for completed maps failed, {} times in a row", failures, e);
          pause.ms(FAILURE_PERIOD_MS);
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("No longer asking for completed maps");
    } catch (IOException e) {
      schedule.fail(e);
    } catch (RuntimeException | Error e) {
      schedule.fail(new IOException("asking for completed maps failed", e));
    }
  }

  /**
   * How long to wait before the next question.
   *
   * @param maps how many are not shuffled yet
   * @param reduces of the job
   * @param idleMs since the last news of a map
   */
  static long periodMs(int maps, int reduces, long idleMs) {
    if (maps > LAST_MAPS) {
      return PERIOD_MS;
    }
    long fairMs = TimeUnit.SECONDS.toMillis(1) * reduces / MAX_QUESTIONS_PER_S;
    long shortestMs = Math.max(SHORTEST_PERIOD_MS, fairMs);
    return Math.min(PERIOD_MS, Math.max(shortestMs, idleMs / PERIODS_OF_A_WAIT));
  }

  private void poll() throws IOException {
    TaskCompletionEvent[] events;
    do {
      events =
          umbilical
              .getMapCompletionEvents(reduce.getJobID(), nextEvent, maxEvents, reduce)
              .getMapTaskCompletionEvents();
      nextEvent += events.length;
      if (events.length > 0) {
        lastEventNs = nanoClock.getAsLong();
      }
      for (TaskCompletionEvent event : events) {
        schedule.resolve(event);
      }
    } while (events.length == maxEvents);
  }
}
