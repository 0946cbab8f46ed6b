package io.sluice.hadoop.reduce;

import static io.sluice.hadoop.reduce.Events.ended;
import static io.sluice.hadoop.reduce.Events.map;
import static io.sluice.hadoop.reduce.Events.succeeded;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchOutcome.Answered;
import io.sluice.hadoop.reduce.FetchOutcome.Forgotten;
import io.sluice.hadoop.reduce.FetchOutcome.HandlerBusy;
import io.sluice.hadoop.reduce.FetchOutcome.Lost;
import io.sluice.hadoop.reduce.FetchOutcome.ServiceBusy;
import io.sluice.hadoop.reduce.FetchOutcome.Unasked;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.hadoop.reduce.FetchedOutput.StagedOutput;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The schedule under a clock that stands still unless the test moves it. */
@Timeout(300)
final class FetchScheduleTest {
  private static final String HOST = "node1:13562";
  private static final String OTHER = "node2:13562";
  private static final FetchPolicy POLICY =
      new FetchPolicy(10, true, 5, 60_000, 180_000, 30_000, 1_000, 3);

  private final RecordingListener listener = new RecordingListener();
  private final Random random = TestSeed.random();
  private final Set<TaskAttemptID> resident = new HashSet<>();
  private final List<TaskAttemptID> closed = new ArrayList<>();
  private Runnable whenClosed = () -> {};
  private long nowNs = 1_000_000_000;

  private FetchSchedule schedule(int maps) {
    return new FetchSchedule(maps, POLICY, listener, () -> nowNs, random);
  }

  /** Of one run, with the attempt's id as its name, that is elsewhere unless the test says so. */
  private FetchedOutput output(TaskAttemptID map) {
    StagedOutput.Run run =
        new StagedOutput.Run(map.toString(), 0, RunForm.PLAIN, new ClosingInput(map));
    return new TestOutput(map, List.of(run), resident.contains(map));
  }

  private record TestOutput(TaskAttemptID map, List<StagedOutput.Run> runs, boolean isResident)
      implements FetchedOutput {
    @Override
    public void close() throws IOException {
      Closer.all(runs);
    }
  }

  private static List<TaskAttemptID> attempts(List<MergeRun> runs) {
    return runs.stream().map(run -> TaskAttemptID.forName(run.name())).toList();
  }

  private static List<TaskAttemptID> withdrawn(FetchSchedule schedule) {
    return schedule.takeWithdrawn().stream().map(FetchedOutput::map).toList();
  }

  /** No bytes, but it is remembered who was closed. */
  private final class ClosingInput implements RunInput {
    private final TaskAttemptID map;

    ClosingInput(TaskAttemptID map) {
      this.map = map;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      return -1;
    }

    @Override
    public long remainingBytes() {
      return 0;
    }

    @Override
    public void close() {
      whenClosed.run();
      closed.add(map);
    }
  }

  private void passMs(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private Batch fetchAll(FetchSchedule schedule) throws InterruptedException {
    Batch batch = schedule.take(0);
    for (TaskAttemptID map : batch.maps()) {
      assertTrue(schedule.succeeded(batch, output(map)));
    }
    schedule.release(batch);
    return batch;
  }

  @Test
  void everyMapDeliversOnce() throws Exception {
    FetchSchedule schedule = schedule(3);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(1, 0), OTHER));
    schedule.resolve(succeeded(map(2, 1), HOST));
    fetchAll(schedule);
    fetchAll(schedule);
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(0, 0), map(1, 0), map(2, 1)), schedule.shuffled());
    assertEquals(3, listener.doneMaps);
    assertNull(schedule.take(0), "nothing is left to take");
  }

  @Test
  void aHostThatRefusesIsLeftAloneForLongerEachTimeAndNothingHasFailed() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int refusals = 1; refusals <= 8; refusals++) {
      Batch batch = schedule.take(0);
      assertEquals(refusals - 1, batch.refusals());
      schedule.apply(batch, new ServiceBusy("for a test"));
      schedule.apply(batch, new Unasked(batch.maps()));
      schedule.release(batch);
      passMs(Math.min(30_000, 500 << (refusals - 1)) / 2 - 1);
      assertNull(schedule.take(0), "it is left alone");
      passMs(Math.min(30_000, 500 << (refusals - 1)) + 1);
    }
    schedule.throwIfFailed();
    assertEquals(List.of(), listener.reported);
    assertEquals(0, listener.failedFetches);
    fetchAll(schedule);
    assertTrue(schedule.awaitDone(1));
  }

  @Test
  void aHostThatRefusesForMinutesFailsTheAttemptAndBlamesNoMap() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int i = 0; i < 30 && !schedule.isOver(); i++) {
      Batch batch = schedule.take(0);
      schedule.apply(batch, new ServiceBusy("for a test"));
      schedule.apply(batch, new Unasked(batch.maps()));
      schedule.release(batch);
      passMs(45_000);
    }
    IOException e = assertThrows(IOException.class, schedule::throwIfFailed);
    assertTrue(e.getMessage().endsWith(": for a test"), e.getMessage());
    assertEquals(List.of(), listener.reported);
    assertEquals(0, listener.failedFetches);
  }

  @Test
  void refusalsBeforeAnAnswerDoNotCountThoughNothingWasDelivered() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    assertEquals(0, batch.refusals());
    schedule.apply(batch, new ServiceBusy("for a test"));
    schedule.apply(batch, new Unasked(batch.maps()));
    schedule.release(batch);
    passMs(1_000);
    batch = schedule.take(0);
    schedule.apply(batch, Answered.SERVICE);
    schedule.apply(batch, new Lost(List.of(map(0, 0))));
    schedule.release(batch);
    passMs(601_000);
    batch = schedule.take(0);
    assertEquals(0, batch.refusals());
    schedule.apply(batch, new ServiceBusy("for a test"));
    schedule.throwIfFailed();
  }

  @Test
  void batchKnowsWhereTheHostIsAndHasTwentyMapsAtMost() throws Exception {
    FetchSchedule schedule = schedule(45);
    for (int i = 0; i < 45; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    Batch batch = fetchAll(schedule);
    assertEquals(HOST, batch.hostName());
    assertEquals("http://" + HOST, batch.url());
    assertEquals(20, batch.maps().size());
    assertEquals(20, fetchAll(schedule).maps().size());
    assertEquals(5, fetchAll(schedule).maps().size());
  }

  @Test
  void hostIsOnlyTakenAgainOnceItIsReleased() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch first = schedule.take(0);
    schedule.resolve(succeeded(map(1, 0), HOST));
    assertNull(schedule.take(0));
    schedule.release(first);
    assertEquals(List.of(map(1, 0)), schedule.take(0).maps());
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED", "KILLED", "OBSOLETE"})
  void attemptThatEndedIsNotFetched(Status status) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(ended(map(0, 0), status));
    assertNull(schedule.take(0));
    schedule.resolve(succeeded(map(0, 1), HOST));
    assertEquals(List.of(map(0, 1)), fetchAll(schedule).maps());
    assertTrue(schedule.awaitDone(1));
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED", "KILLED", "OBSOLETE"})
  void attemptThatEndedBeforeItsSuccessIsKnownIsNotFetched(Status status) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(ended(map(0, 0), status));
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertNull(schedule.take(0));
  }

  @Test
  void attemptThatEndsWhileItIsFetchedIsDiscarded() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.resolve(ended(map(0, 0), Status.KILLED));
    assertFalse(schedule.wants(map(0, 0)));
    assertFalse(schedule.succeeded(batch, output(map(0, 0))));
    schedule.release(batch);
    assertFalse(schedule.awaitDone(1));
  }

  @Test
  void failedTaskCountsAsDoneWithoutOutput() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    fetchAll(schedule);
    schedule.resolve(ended(map(1, 3), Status.TIPFAILED));
    schedule.resolve(ended(map(1, 3), Status.TIPFAILED));
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(0, 0)), schedule.shuffled());
  }

  @Test
  void speculativeLoserChangesNothing() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 1), HOST));
    fetchAll(schedule);
    schedule.resolve(ended(map(0, 0), Status.KILLED));
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(0, 1)), schedule.shuffled());
    assertEquals(List.of(), withdrawn(schedule));
  }

  @Test
  void secondAttemptToDeliverIsDiscarded() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(0, 1), OTHER));
    Batch a = schedule.take(0);
    Batch b = schedule.take(0);
    assertNotEquals(a.hostName(), b.hostName(), "no two fetchers at one host");
    assertTrue(schedule.succeeded(b, output(b.maps().get(0))));
    assertFalse(schedule.succeeded(a, output(a.maps().get(0))));
    assertEquals(b.maps(), schedule.shuffled());
  }

  @Test
  void locatedOutputThatIsWithdrawnAwaitsItsSuccessor() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(1, 0), OTHER));
    Batch batch = schedule.take(0);
    TaskAttemptID first = batch.maps().get(0);
    assertTrue(schedule.succeeded(batch, output(first)));
    schedule.release(batch);
    schedule.resolve(ended(first, Status.FAILED));
    assertEquals(List.of(first), withdrawn(schedule));
    int index = first.getTaskID().getId();
    schedule.resolve(succeeded(map(index, 1), "node3:13562"));
    fetchAll(schedule);
    fetchAll(schedule);
    assertTrue(schedule.awaitDone(1));
    assertEquals(2, schedule.shuffled().size());
    assertTrue(schedule.shuffled().contains(map(index, 1)));
    assertFalse(schedule.shuffled().contains(first));
  }

  @Test
  void successorThatWasKnownEarlierIsFetchedOnceItIsNeeded() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    fetchAll(schedule);
    schedule.resolve(succeeded(map(0, 1), HOST));
    assertNull(schedule.take(0));
    schedule.resolve(ended(map(0, 0), Status.OBSOLETE));
    assertEquals(List.of(map(0, 0)), withdrawn(schedule));
    assertEquals(List.of(map(0, 1)), fetchAll(schedule).maps());
  }

  @Test
  void residentOutputIsKeptWhenItsAttemptIsWithdrawn() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    resident.add(map(0, 0));
    fetchAll(schedule);
    schedule.resolve(ended(map(0, 0), Status.KILLED));
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(0, 0)), schedule.shuffled());
  }

  @Test
  void nothingIsWithdrawnOnceTheShuffleIsDone() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    fetchAll(schedule);
    assertTrue(schedule.awaitDone(1));
    schedule.resolve(ended(map(0, 0), Status.KILLED));
    assertEquals(List.of(map(0, 0)), schedule.shuffled(), "the merge has it already");
    assertEquals(List.of(), withdrawn(schedule));
  }

  @Test
  void penaltyGrowsAndIsCapped() throws Exception {
    FetchSchedule schedule = schedule(1000);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(1, 0), OTHER));
    fetchOther(schedule);
    Batch batch = schedule.take(0);
    for (long expectedMs : new long[] {13_000, 16_900, 21_970, 28_561, 37_129, 48_268, 60_000}) {
      schedule.failed(batch, map(0, 0), Kind.REFUSED);
      schedule.release(batch);
      passMs(expectedMs - 1);
      assertNull(schedule.take(0), "before " + expectedMs + " ms");
      passMs(2);
      batch = schedule.take(0);
      assertNotNull(batch, "after " + expectedMs + " ms");
    }
  }

  /** Leaves only {@link #HOST} to take. */
  private void fetchOther(FetchSchedule schedule) throws Exception {
    Batch batch = schedule.take(0);
    if (batch.hostName().equals(HOST)) {
      Batch other = schedule.take(0);
      schedule.apply(batch, new Unasked(batch.maps()));
      schedule.release(batch);
      batch = other;
    }
    Batch taken = batch;
    taken.maps().forEach(map -> schedule.succeeded(taken, output(map)));
    schedule.release(taken);
  }

  @Test
  void penaltyOfOneHostDoesNotConcernTheOther() throws Exception {
    FetchSchedule schedule = schedule(10);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.failed(batch, map(0, 0), Kind.READ);
    schedule.release(batch);
    schedule.resolve(succeeded(map(1, 0), HOST));
    schedule.resolve(succeeded(map(2, 0), OTHER));
    assertEquals(OTHER, schedule.take(0).hostName());
    assertNull(schedule.take(0));
  }

  @Test
  void busyHostIsLeftAloneWithoutAFailure() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(1, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.succeeded(batch, output(map(0, 0)));
    schedule.apply(batch, new HandlerBusy(2000));
    schedule.apply(batch, new Unasked(List.of(map(1, 0))));
    schedule.release(batch);
    assertNull(schedule.take(0));
    passMs(2001);
    assertEquals(List.of(map(1, 0)), schedule.take(0).maps());
    assertEquals(0, listener.failedFetches);
  }

  @Test
  void batchThatFailsHalfWayLosesNothing() throws Exception {
    FetchSchedule schedule = schedule(5);
    for (int i = 0; i < 5; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    Batch batch = schedule.take(0);
    schedule.succeeded(batch, output(map(0, 0)));
    schedule.failed(batch, map(1, 0), Kind.READ);
    schedule.apply(batch, new Unasked(batch.maps().subList(2, 5)));
    schedule.release(batch);
    passMs(13_001);
    assertEquals(
        Set.of(map(1, 0), map(2, 0), map(3, 0), map(4, 0)),
        new HashSet<>(fetchAll(schedule).maps()));
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(1, 0)), listener.reported);
    assertEquals(1, listener.failedFetches);
  }

  @Test
  void failureOfAnUnwantedOutputCountsForNothing() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.resolve(ended(map(0, 0), Status.OBSOLETE));
    schedule.failed(batch, map(0, 0), Kind.CONNECT);
    schedule.release(batch);
    assertEquals(List.of(), listener.reported);
    assertNull(schedule.take(0));
  }

  @Test
  void hopelessShuffleFailsEverybody() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.failed(batch, map(0, 0), Kind.CONNECT);
    schedule.release(batch);
    assertTrue(schedule.isOver());
    assertNull(schedule.take(60_000), "nobody waits any longer");
    assertFalse(schedule.awaitDone(60_000));
    IOException e = assertThrows(IOException.class, schedule::throwIfFailed);
    assertTrue(e.getMessage().startsWith("error in shuffle: Exceeded MAX_FAILED_UNIQUE_FETCHES"));
  }

  @Test
  void firstErrorCounts() {
    FetchSchedule schedule = schedule(1);
    schedule.fail(new IOException("first"));
    schedule.fail(new IOException("second"));
    IOException e = assertThrows(IOException.class, schedule::throwIfFailed);
    assertEquals("first", e.getCause().getMessage());
  }

  /** Whatever happens in whatever order, each map has one output in the end, of a live attempt. */
  @Test
  void randomEventsLoseNothing() throws Exception {
    for (int round = 0; round < 200; round++) {
      randomShuffle();
    }
  }

  private void randomShuffle() throws Exception {
    int maps = 1 + random.nextInt(50);
    int[] attempts = new int[maps];
    Set<TaskAttemptID> dead = new HashSet<>();
    List<MergeRun> made = new ArrayList<>();
    List<MergeRun> ended = new ArrayList<>();
    FetchSchedule schedule =
        new FetchSchedule(
            maps, new FetchPolicy(10, false, 1000, 1, 0, 0, 1, 3), listener, () -> nowNs, random);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < maps; i++) {
      order.add(i);
      schedule.resolve(succeeded(map(i, 0), "h" + random.nextInt(4) + ":1", 1 << 30));
    }
    for (int step = 0; step < 100 || !schedule.awaitDone(1); step++) {
      passMs(2);
      if (step < 60 && random.nextInt(3) == 0) {
        int index = random.nextInt(maps);
        TaskAttemptID old = map(index, attempts[index]++);
        dead.add(old);
        schedule.resolve(ended(old, Status.FAILED));
        schedule.resolve(
            succeeded(map(index, attempts[index]), "h" + random.nextInt(4) + ":1", 1 << 30));
      }
      Batch batch = schedule.take(0);
      if (batch == null) {
        continue;
      }
      for (TaskAttemptID map : batch.maps()) {
        if (random.nextInt(20) == 0 && schedule.wants(map)) {
          schedule.apply(batch, new Unasked(List.of(map)));
        } else {
          FetchedOutput output = output(map);
          made.addAll(output.runs());
          if (!schedule.succeeded(batch, output)) {
            ended.addAll(output.runs());
          }
        }
      }
      schedule.release(batch);
    }
    List<TaskAttemptID> shuffled = schedule.shuffled();
    assertEquals(maps, shuffled.size());
    assertEquals(maps, schedule.shuffledMaps());
    for (int i = 0; i < maps; i++) {
      assertEquals(map(i, attempts[i]), shuffled.get(i));
    }
    assertTrue(dead.stream().noneMatch(shuffled::contains));
    List<MergeRun> taken = schedule.takeAll();
    assertEquals(shuffled, attempts(taken), "in the order of the maps");
    ended.addAll(taken);
    schedule.takeWithdrawn().forEach(output -> ended.addAll(output.runs()));
    assertEquals(made.size(), ended.size(), "each run has one owner in the end");
    assertTrue(ended.containsAll(made));
    schedule.close();
  }

  @Test
  void outputThatComesAfterTheEndStaysItsFetchers() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.end();
    assertFalse(schedule.succeeded(batch, output(map(0, 0))));
    schedule.close();
    assertEquals(List.of(), closed, "not the schedule's to close");
  }

  @Test
  void closeClosesWhatNobodyTook() throws Exception {
    FetchSchedule schedule = schedule(3);
    for (int i = 0; i < 3; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    fetchAll(schedule);
    schedule.resolve(ended(map(1, 0), Status.KILLED));
    whenClosed = () -> assertFalse(Thread.holdsLock(schedule), "closing may wait for reads");
    schedule.close();
    assertEquals(List.of(map(1, 0), map(0, 0), map(2, 0)), closed);
    assertTrue(schedule.isOver());
    schedule.close();
    assertEquals(3, closed.size(), "once");
  }

  @Test
  void aRunThatCannotBeClosedLeavesNoOtherOpen() throws Exception {
    FetchSchedule schedule = schedule(3);
    for (int i = 0; i < 3; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    fetchAll(schedule);
    schedule.resolve(ended(map(1, 0), Status.KILLED));
    List<RuntimeException> failures = failWhenClosed();
    Throwable thrown = assertThrows(IllegalStateException.class, schedule::close);
    assertEquals(failures.get(0), thrown);
    assertEquals(3, failures.size(), "runs that were closed");
    assertEquals(failures.subList(1, 3), List.of(thrown.getSuppressed()));
  }

  /** What the runs throw when they are closed, in that order. */
  private List<RuntimeException> failWhenClosed() {
    List<RuntimeException> failures = new ArrayList<>();
    whenClosed =
        () -> {
          failures.add(new IllegalStateException("expected by this test"));
          throw failures.get(failures.size() - 1);
        };
    return failures;
  }

  @Test
  void whatWasTakenIsNotClosed() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    fetchAll(schedule);
    assertTrue(schedule.awaitDone(1));
    assertEquals(List.of(map(0, 0)), attempts(schedule.takeAll()));
    schedule.close();
    assertEquals(List.of(), closed);
  }

  @Test
  void nothingIsTakenBeforeAllMapsAreShuffled() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    fetchAll(schedule);
    schedule.end();
    Throwable e = assertThrows(IllegalStateException.class, schedule::takeAll);
    assertTrue(e.getMessage().startsWith("1 of 2 maps are not shuffled"), e.getMessage());
  }

  @Test
  void lostOutputIsReportedAtOnceAndAskedForAgainLater() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(1, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.apply(batch, new Lost(List.of(map(0, 0))));
    assertTrue(schedule.succeeded(batch, output(map(1, 0))), "the host is well");
    schedule.release(batch);
    assertEquals(List.of(map(0, 0)), listener.reported);
    assertEquals(1, listener.failedFetches);
    assertNull(schedule.take(0), "not at once");
    passMs(13_000);
    assertEquals(List.of(map(0, 0)), schedule.take(0).maps());
  }

  @Test
  void lostOutputIsNotAskedForOnceItsMapRunsAgain() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.apply(batch, new Lost(List.of(map(0, 0))));
    schedule.release(batch);
    schedule.resolve(ended(map(0, 0), Status.FAILED));
    passMs(1_000_000);
    assertNull(schedule.take(0));
    schedule.resolve(succeeded(map(0, 1), OTHER));
    assertEquals(List.of(map(0, 1)), fetchAll(schedule).maps());
    assertTrue(schedule.awaitDone(1));
  }

  /** A node may lose thousands of outputs, which the ApplicationMaster must not hear of at once. */
  @Test
  void ofANodeThatLostEverythingNoMoreIsReportedThanStockAsksFor() throws Exception {
    FetchSchedule schedule = schedule(100);
    for (int i = 0; i < 100; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    loseAll(schedule, 100);
    schedule.throwIfFailed();
    List<TaskAttemptID> first = List.copyOf(listener.reported);
    assertEquals(20, first.size());
    assertEquals(20, new HashSet<>(first).size());
    assertNull(schedule.take(0), "nobody has answered");
    first.forEach(map -> schedule.resolve(ended(map, Status.FAILED))); // its answer
    loseAll(schedule, 80);
    assertEquals(40, new HashSet<>(listener.reported).size());
    assertEquals(40, listener.reported.size(), "each of them once");
    passMs(13_000); // it has not heard enough
    loseAll(schedule, 80);
    assertEquals(40, new HashSet<>(listener.reported).size());
    assertEquals(60, listener.reported.size(), "those again, and no others");
  }

  private static void loseAll(FetchSchedule schedule, int maps) throws Exception {
    for (int taken = 0; taken < maps; ) {
      Batch batch = schedule.take(0);
      assertNotNull(batch, "no penalty for a host that is well");
      schedule.apply(batch, new Lost(batch.maps()));
      schedule.release(batch);
      taken += batch.maps().size();
    }
  }

  /** As stock, which says nothing while a NodeManager restarts. */
  @Test
  void whatCannotBeHadNowIsNoFailureForAWhile() throws Exception {
    FetchSchedule schedule = schedule(25);
    for (int i = 0; i < 25; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    Set<TaskAttemptID> failed = new HashSet<>();
    long startNs = nowNs;
    while (nowNs - startNs < TimeUnit.SECONDS.toNanos(179)) {
      failed.addAll(later(schedule));
    }
    assertEquals(Set.of(), failed);
    while (nowNs - startNs < TimeUnit.SECONDS.toNanos(200)) {
      failed.addAll(later(schedule));
    }
    assertEquals(25, failed.size(), "each of them");
    assertEquals(List.of(), listener.reported, "which is for the fetcher to say");
    schedule.throwIfFailed();
  }

  /** Asks for all that there is to be asked for now; then some time passes. */
  private List<TaskAttemptID> later(FetchSchedule schedule) throws InterruptedException {
    List<TaskAttemptID> failed = new ArrayList<>();
    for (Batch batch = schedule.take(0); batch != null; batch = schedule.take(0)) {
      List<TaskAttemptID> now = schedule.later(batch, batch.maps(), Kind.WAITED, 180_000);
      failed.addAll(now);
      now.forEach(map -> schedule.resolve(ended(map, Status.FAILED)));
      schedule.release(batch);
    }
    passMs(250);
    return failed;
  }

  /** As stock, which connects for as long for each 20 outputs, and fails all of them. */
  @Test
  void aHostThatCannotBeReachedFailsTwentyOutputsAtATime() throws Exception {
    FetchSchedule schedule = schedule(400);
    for (int i = 0; i < 400; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    List<TaskAttemptID> first = List.of();
    List<TaskAttemptID> failed = List.of();
    long beganNs = nowNs;
    while (failed.isEmpty()) {
      Batch batch = takeSoon(schedule);
      first = first.isEmpty() ? batch.maps() : first;
      failed = schedule.later(batch, batch.maps(), Kind.UNREACHED, 180_000);
      schedule.apply(batch, new Unasked(failed));
      schedule.release(batch);
      passMs(60_000); // as long as it takes to see that nobody answers
    }
    assertEquals(Set.copyOf(first), Set.copyOf(failed));
    assertTrue(nowNs - beganNs < TimeUnit.SECONDS.toNanos(400), "one visit after the other");
    Batch next = takeSoon(schedule);
    assertEquals(List.of(), schedule.later(next, next.maps(), Kind.UNREACHED, 180_000));
  }

  /** Else each would be asked for by itself, and one would fail where stock fails twenty. */
  @Test
  void whatWaitsTogetherIsAskedForTogether() throws Exception {
    FetchSchedule schedule = schedule(20);
    for (int i = 0; i < 20; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    for (int visit = 0; visit < 20; visit++) {
      Batch batch = takeSoon(schedule);
      assertEquals(20, batch.maps().size(), "in visit " + visit);
      assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.CONNECT, Long.MAX_VALUE));
      schedule.release(batch);
    }
  }

  /** Else one moment of each, minutes apart, would blame a healthy map. */
  @Test
  void whatAnswersMeanwhileEndsTheTrouble() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.WAITED, 1_000));
    schedule.release(batch);
    passMs(10_000);
    batch = schedule.take(0);
    schedule.apply(batch, new ServiceBusy("for a test"));
    schedule.apply(batch, new Unasked(batch.maps()));
    schedule.release(batch);
    passMs(10_000);
    batch = schedule.take(0);
    assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.WAITED, 1_000));
    schedule.release(batch);
    passMs(10_000);
    batch = schedule.take(0);
    assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.READ, 1_000), "of its own");
  }

  /** So long as stock pauses before it asks the same host again. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7_000})
  void whatWasNotReadToItsEndIsAskedForAgainAfterStocksPause(long intervalMs) throws Exception {
    FetchPolicy policy = new FetchPolicy(10, true, 5, 60_000, 180_000, 30_000, intervalMs, 3);
    FetchSchedule schedule = new FetchSchedule(1, policy, listener, () -> nowNs, random);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int i = 0; i < 3; i++) {
      Batch batch = schedule.take(0);
      assertEquals(List.of(map(0, 0)), batch.maps());
      assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.READ, 30_000));
      schedule.release(batch);
      if (intervalMs > 0) {
        passMs(intervalMs - 1);
        assertNull(schedule.take(0), "before that");
        passMs(1);
      }
    }
  }

  @Test
  void whatWasWaitedForInVainIsNotWaitedForAgain() throws Exception {
    FetchSchedule schedule = schedule(10);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.later(batch, batch.maps(), Kind.WAITED, 1_000);
    schedule.release(batch);
    for (int i = 1; i <= 3; i++) {
      passMs(60_000);
      Batch again = schedule.take(0);
      assertEquals(again.maps(), schedule.later(again, again.maps(), Kind.WAITED, 1_000));
      again.maps().forEach(map -> schedule.failed(again, map, Kind.WAITED));
      schedule.release(again);
      assertEquals(i, listener.reported.size(), "each time");
    }
  }

  /** Nor does what a service was waited for end the attempt. */
  @ParameterizedTest
  @CsvSource({"WAITED, OWN", "OWN, WAITED"})
  void ownTroubleAndThatOfAServiceAreNotOneThatWentOnForLong(Kind first, Kind second)
      throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, first, 179_000));
    assertEquals(List.of(), laterFor(schedule, second, 60_000), "with a pause behind the first");
    assertEquals(List.of(), laterFor(schedule, second, 100_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, second, 60_000), "it has a clock, too");
  }

  /** Also after it was reported, from when on it is not waited for again. */
  @Test
  void ownTroubleBehindAServiceThatWasReportedIsWaitedFor() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.WAITED, 210_000));
    assertEquals(List.of(), laterFor(schedule, Kind.OWN, 20_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.WAITED, 30_000), "as before");
  }

  /** Else a reduce that is short now and then would wait for ever for a node that is gone. */
  @Test
  void ownTroubleInterruptsThatOfAServiceAndDoesNotEndIt() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of(), laterFor(schedule, Kind.WAITED, 40_000));
      assertEquals(List.of(), laterFor(schedule, Kind.OWN, 100_000));
    }
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.WAITED, 150_000));
  }

  /** Each of the two is tried for as long as if there were not the other. */
  @ParameterizedTest
  @EnumSource(names = {"CONNECT", "UNREACHED"})
  void ownTroubleAndThatOfAHostAreNotOneThatWentOnForLong(Kind ofHost) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, Kind.OWN, 1_000));
    assertEquals(List.of(), laterFor(schedule, ofHost, 170_000));
    assertEquals(List.of(), laterFor(schedule, Kind.OWN, 170_000), "it was over in between");
    assertEquals(List.of(map(0, 0)), laterFor(schedule, ofHost, 60_000), "this one was not");
  }

  @ParameterizedTest
  @EnumSource(names = {"CONNECT", "UNREACHED"})
  void theTimeOfOwnTroubleIsNotTheHosts(Kind ofHost) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, ofHost, 1_000));
    assertEquals(List.of(), laterFor(schedule, Kind.OWN, 170_000));
    assertEquals(List.of(), laterFor(schedule, ofHost, 100_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, ofHost, 150_000));
  }

  /** As by stock, which connects until it has a connection, whatever keeps it from one. */
  @Test
  void aHostThatFailsInTwoWaysInTurnIsGivenUpAsOneThatFailsInOne() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    long startNs = nowNs;
    List<TaskAttemptID> failed = List.of();
    while (failed.isEmpty() && nowNs - startNs < TimeUnit.SECONDS.toNanos(300)) {
      Kind kind = random.nextBoolean() ? Kind.CONNECT : Kind.UNREACHED;
      failed = laterFor(schedule, kind, 1_000 * (1 + random.nextInt(30)));
    }
    assertEquals(List.of(map(0, 0)), failed);
    long tookMs = TimeUnit.NANOSECONDS.toMillis(nowNs - startNs) - 1_000; // then it went on
    assertTrue(tookMs >= 180_000 && tookMs < 200_000, tookMs + " ms");
  }

  /** Also one that asks to be left alone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHostWhoseShuffleHandlerAnswersIsReached(boolean busy) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, Kind.CONNECT, 170_000));
    Batch batch = takeSoon(schedule);
    if (busy) {
      schedule.apply(batch, new HandlerBusy(1_000));
    } else {
      schedule.apply(batch, Answered.HANDLER);
    }
    schedule.apply(batch, new Unasked(batch.maps()));
    schedule.release(batch);
    assertEquals(List.of(), laterFor(schedule, Kind.UNREACHED, 170_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.UNREACHED, 60_000));
  }

  /** As stock, for which that is another visit of the host. */
  @Test
  void aReplyThatBreaksOffIsTriedForAsLongAgainAfterAHostWasBusy() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, Kind.READ, 170_000));
    Batch batch = takeSoon(schedule);
    schedule.apply(batch, new HandlerBusy(20_000));
    schedule.apply(batch, new Unasked(batch.maps()));
    schedule.release(batch);
    assertEquals(List.of(), laterFor(schedule, Kind.READ, 170_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.READ, 60_000));
  }

  /** When an output is asked for that its service does not have; others come from there. */
  @Test
  void whatAHostsServiceSaysDoesNotMakeItsShuffleHandlerReached() throws Exception {
    FetchSchedule schedule = schedule(300);
    schedule.resolve(succeeded(map(0, 0), HOST));
    long startNs = nowNs;
    List<TaskAttemptID> failed = List.of();
    for (int i = 1; failed.isEmpty() && i < 300; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
      Batch batch = takeSoon(schedule);
      schedule.apply(batch, Answered.SERVICE);
      assertTrue(schedule.succeeded(batch, output(map(i, 0))));
      if (batch.maps().contains(map(0, 0))) {
        failed = schedule.later(batch, List.of(map(0, 0)), Kind.CONNECT, 180_000);
      }
      schedule.release(batch);
      passMs(1_000);
    }
    assertEquals(List.of(map(0, 0)), failed);
    assertTrue(nowNs - startNs < TimeUnit.SECONDS.toNanos(220));
  }

  /** Else an output that nobody has tried to connect for would fail the first time. */
  @ParameterizedTest
  @ValueSource(strings = {"withdrawn", "had from its service", "had from another host"})
  void aHostIsTriedForAsLongAgainOnceNothingWaitsForIt(String what) throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, Kind.CONNECT, 10_000));
    Batch batch = takeSoon(schedule);
    switch (what) {
      case "withdrawn" -> schedule.resolve(ended(map(0, 0), Status.KILLED));
      case "had from its service" -> schedule.succeeded(batch, output(map(0, 0)));
      default -> {
        schedule.resolve(succeeded(map(0, 1), OTHER));
        Batch other = schedule.take(0);
        assertTrue(schedule.succeeded(other, output(map(0, 1))));
        schedule.release(other);
      }
    }
    schedule.release(batch);
    passMs(1_000_000);
    schedule.resolve(succeeded(map(1, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, Kind.CONNECT, 170_000));
    assertEquals(List.of(map(1, 0)), laterFor(schedule, Kind.CONNECT, 60_000));
  }

  /** Its trouble of before is over: another host has had the output meanwhile. */
  @ParameterizedTest
  @EnumSource(names = {"CONNECT", "READ", "WAITED"})
  void whatIsWantedAgainIsTriedForAsLongAgain(Kind kind) throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    assertEquals(List.of(), laterFor(schedule, kind, 10_000));
    schedule.resolve(succeeded(map(0, 1), OTHER));
    for (Batch batch = takeSoon(schedule); ; batch = takeSoon(schedule)) {
      boolean other = batch.hostName().equals(OTHER);
      if (other) {
        assertTrue(schedule.succeeded(batch, output(map(0, 1))));
      } else {
        schedule.apply(batch, new Unasked(batch.maps()));
      }
      schedule.release(batch);
      if (other) {
        break;
      }
    }
    passMs(1_000_000);
    schedule.resolve(ended(map(0, 1), Status.FAILED));
    assertEquals(List.of(), laterFor(schedule, kind, 170_000));
    assertEquals(List.of(map(0, 0)), laterFor(schedule, kind, 60_000));
  }

  /** Neither ends the clock of a service that is waited for. */
  @ParameterizedTest
  @EnumSource(names = {"CONNECT", "UNREACHED", "READ"})
  void anOutputWhoseTroublesAlternateIsGivenUp(Kind other) throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int i = 0; i < 8; i++) {
      assertEquals(List.of(), laterFor(schedule, Kind.WAITED, 10_000));
      assertEquals(List.of(), laterFor(schedule, other, 10_000));
    }
    assertEquals(List.of(map(0, 0)), laterFor(schedule, Kind.WAITED, 40_000));
  }

  /** The next batch, as soon as there is one. */
  private Batch takeSoon(FetchSchedule schedule) throws InterruptedException {
    for (int second = 0; second < 100; second++) {
      Batch batch = schedule.take(0);
      if (batch != null) {
        return batch;
      }
      passMs(1_000);
    }
    throw new AssertionError("nothing to take");
  }

  /** The same trouble each second for so long, the first time at once. */
  private List<TaskAttemptID> laterFor(FetchSchedule schedule, Kind kind, long ms)
      throws Exception {
    List<TaskAttemptID> failed = List.of();
    for (long passedMs = 0; passedMs < ms && failed.isEmpty(); passedMs += 1_000) {
      for (Batch batch = schedule.take(0); batch != null; batch = schedule.take(0)) {
        failed = schedule.later(batch, batch.maps(), kind, 180_000);
        schedule.apply(batch, new Unasked(failed));
        schedule.release(batch);
        if (!failed.isEmpty()) {
          break;
        }
      }
      passMs(1_000);
    }
    return failed;
  }

  @Test
  void troubleThatIsOverCountsFromItsNextBeginning() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    assertEquals(List.of(), schedule.later(batch, batch.maps(), Kind.WAITED, 1_000));
    schedule.release(batch);
    passMs(10_000);
    fetchAll(schedule);
    schedule.apply(batch, new Forgotten(batch.maps()));
    Batch again = schedule.take(0);
    assertEquals(batch.maps(), again.maps());
    assertEquals(List.of(), schedule.later(again, again.maps(), Kind.WAITED, 1_000));
  }

  @Test
  void outputThatIsLostAfterItWasLocatedIsAwaitedAgain() throws Exception {
    FetchSchedule schedule = schedule(3);
    for (int i = 0; i < 3; i++) {
      schedule.resolve(succeeded(map(i, 0), HOST));
    }
    Batch batch = schedule.take(0);
    resident.add(map(1, 0));
    assertTrue(schedule.succeeded(batch, output(map(0, 0))));
    assertTrue(schedule.succeeded(batch, output(map(1, 0))));
    assertEquals(List.of(map(0, 0)), schedule.remoteOf(batch));
    schedule.apply(batch, new Lost(List.of(map(2, 0))));
    schedule.apply(
        batch, new Forgotten(List.of(map(0, 0), map(1, 0)))); // all of the second is here
    schedule.release(batch);
    assertEquals(List.of(map(2, 0)), listener.reported);
    assertEquals(List.of(map(0, 0)), schedule.take(0).maps());
    assertEquals(List.of(map(0, 0)), withdrawn(schedule));
    assertEquals(List.of(), schedule.remoteOf(batch));
    assertEquals(List.of(map(1, 0)), schedule.shuffled());
    assertFalse(schedule.awaitDone(1));
  }

  @Test
  void lossThatNobodyMendsEndsTheAttempt() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    for (int i = 0; i < 30; i++) {
      schedule.throwIfFailed();
      Batch batch = schedule.take(0);
      schedule.apply(batch, new Lost(List.of(map(0, 0))));
      schedule.release(batch);
      passMs(60_000);
    }
    IOException e = assertThrows(IOException.class, schedule::throwIfFailed);
    assertTrue(e.getMessage().contains("reported as lost 30 times"), e.getMessage());
  }

  @Test
  void lossOfWhatAnotherAttemptHasDeliveredIsNone() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), HOST));
    schedule.resolve(succeeded(map(0, 1), OTHER));
    Batch one = schedule.take(0);
    Batch two = schedule.take(0);
    assertTrue(schedule.succeeded(one, output(one.maps().get(0))));
    schedule.apply(two, new Lost(List.of(two.maps().get(0))));
    assertEquals(List.of(), listener.reported);
    assertEquals(one.maps(), schedule.shuffled());
  }

  /** Names with an underscore are none for java.net.URI. */
  @Test
  void hostsWhoseNamesAreUnusualAreSeveral() throws Exception {
    FetchSchedule schedule = schedule(2);
    schedule.resolve(succeeded(map(0, 0), "node_1:13562"));
    schedule.resolve(succeeded(map(1, 0), "node_2:13562"));
    Set<String> urls = new HashSet<>();
    urls.add(fetchAll(schedule).url());
    urls.add(fetchAll(schedule).url());
    assertEquals(Set.of("http://node_1:13562", "http://node_2:13562"), urls);
  }

  @Test
  void hostIsNotLeftAloneForEverBecauseItAsksForIt() throws Exception {
    FetchSchedule schedule = schedule(1);
    schedule.resolve(succeeded(map(0, 0), HOST));
    Batch batch = schedule.take(0);
    schedule.apply(batch, new HandlerBusy(Long.MAX_VALUE));
    schedule.apply(batch, new Unasked(batch.maps()));
    schedule.release(batch);
    assertNull(schedule.take(0));
    passMs(60_001);
    assertNotNull(schedule.take(0));
  }
}
