package io.sluice.hadoop.reduce;

import java.io.IOException;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the ApplicationMaster once a second which maps have ended, as stock's {@code EventFetcher}
 * does; each question is a sign of life of this task as well.
 *
 * <p>Thread contract: {@link #run} on a thread of its own, ended by an interrupt. Failure: after
 * {@link #MAX_FAILURES} failed questions in a row the schedule fails.
 */
final class CompletionPoller implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

  private static final long PERIOD_MS = 1000;
  private static final int MAX_FAILURES = 10;
  private static final long FAILURE_PERIOD_MS = 5000;
  private static final int MIN_EVENTS = 100;
  private static final int MAX_EVENTS = 10_000;
  private static final int MAX_EVENTS_OF_ALL_REDUCES = 3_000_000;

  private final TaskUmbilicalProtocol umbilical;
  private final TaskAttemptID reduce;
  private final FetchSchedule schedule;
  private final int maxEvents;
  private int nextEvent;

  CompletionPoller(
      TaskUmbilicalProtocol umbilical, TaskAttemptID reduce, int reduces, FetchSchedule schedule) {
    this.umbilical = umbilical;
    this.reduce = reduce;
    this.schedule = schedule;
    this.maxEvents =
        Math.min(
            MAX_EVENTS, Math.max(MIN_EVENTS, MAX_EVENTS_OF_ALL_REDUCES / Math.max(1, reduces)));
  }

  @Override
  public void run() {
    int failures = 0;
    try {
      while (!schedule.isOver()) {
        try {
          poll();
          failures = 0;
          Thread.sleep(PERIOD_MS);
        } catch (IOException e) {
          if (++failures >= MAX_FAILURES) {
            throw new IOException(failures + " questions for completed maps failed in a row", e);
          }
          LOG.info("Asking for completed maps failed, {} times in a row", failures, e);
          Thread.sleep(FAILURE_PERIOD_MS);
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

  private void poll() throws IOException {
    TaskCompletionEvent[] events;
    do {
      events =
          umbilical
              .getMapCompletionEvents(reduce.getJobID(), nextEvent, maxEvents, reduce)
              .getMapTaskCompletionEvents();
      nextEvent += events.length;
      for (TaskCompletionEvent event : events) {
        schedule.resolve(event);
      }
    } while (events.length == maxEvents);
  }
}
