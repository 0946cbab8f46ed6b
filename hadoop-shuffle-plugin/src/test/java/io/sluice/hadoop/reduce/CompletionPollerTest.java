package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.reduce.Events.map;
import static io.sluice.hadoop.reduce.Events.reduce;
import static io.sluice.hadoop.reduce.Events.succeeded;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.hadoop.reduce.FetchedOutput.StagedOutput;
import io.sluice.hadoop.reduce.MapOutputGathering.CompletionPoller;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.junit.jupiter.api.Test;

/** The poller under a clock that only its own pauses move. */
class CompletionPollerTest {
  private static final String HOST = "node1:13562";
  private static final FetchPolicy POLICY =
      new FetchPolicy(10, true, 5, 60_000, 180_000, 30_000, 1_000, 3);

  private final List<TaskCompletionEvent> events = new ArrayList<>();
  private final List<Long> pauses = new ArrayList<>();
  private long nowNs = 1_000_000_000;

  @Test
  void onceASecondWhileManyMapsAreMissing() {
    assertEquals(1000, CompletionPoller.periodMs(17, 1, 0));
  }

  @Test
  void tenTimesASecondForTheLastMaps() {
    assertEquals(100, CompletionPoller.periodMs(16, 1, 0));
    assertEquals(100, CompletionPoller.periodMs(1, 20, 1_999));
  }

  @Test
  void lessTheLongerNoneHasEnded() {
    assertEquals(500, CompletionPoller.periodMs(1, 1, 10_000));
    assertEquals(1000, CompletionPoller.periodMs(1, 1, 20_000));
    assertEquals(1000, CompletionPoller.periodMs(1, 1, Long.MAX_VALUE));
  }

  @Test
  void lessWithManyReducesSoThatAllTogetherAskTwoHundredTimesASecond() {
    assertEquals(400, CompletionPoller.periodMs(1, 80, 0));
    assertEquals(1000, CompletionPoller.periodMs(1, 200, 0));
    assertEquals(1000, CompletionPoller.periodMs(1, Integer.MAX_VALUE, 0));
  }

  @Test
  void asksMoreOftenOnceFewAreMissingAndLessOftenAgainAfterALongWait() {
    FetchSchedule schedule =
        new FetchSchedule(17, POLICY, new RecordingListener(), () -> nowNs, new Random(1));
    poller(
            schedule,
            ms -> {
              pauses.add(ms);
              passMs(ms);
              switch (pauses.size()) {
                case 1 -> events.add(succeeded(map(0, 0), HOST));
                case 2 -> fetch(schedule);
                case 4 -> passMs(9_800); // eleven seconds since the only event, with the pauses
                case 5 -> events.add(succeeded(map(1, 0), HOST));
                case 6 -> schedule.end();
                default -> {}
              }
            })
        .run();
    assertEquals(List.of(1000L, 1000L, 100L, 100L, 550L, 100L), pauses);
  }

  private CompletionPoller poller(FetchSchedule schedule, CompletionPoller.Pause pause) {
    TaskUmbilicalProtocol umbilical =
        (TaskUmbilicalProtocol)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TaskUmbilicalProtocol.class},
                (proxy, method, arguments) -> eventsFrom((Integer) arguments[1]));
    return new CompletionPoller(umbilical, reduce(0), 1, schedule, () -> nowNs, pause);
  }

  private MapTaskCompletionEventsUpdate eventsFrom(int first) {
    TaskCompletionEvent[] all = events.toArray(TaskCompletionEvent[]::new);
    return new MapTaskCompletionEventsUpdate(Arrays.copyOfRange(all, first, all.length), false);
  }

  private static void fetch(FetchSchedule schedule) throws InterruptedException {
    Batch batch = schedule.take(0);
    schedule.succeeded(batch, new StagedOutput(batch.maps().get(0), null));
    schedule.release(batch);
    assertEquals(16, schedule.remainingMaps());
  }

  private void passMs(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
