package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.oracle.Faults.Kind;
import io.sluice.local.oracle.Faults.Step;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** User code that fails, wherever it is called and in each exchange. */
@Tag("slow")
class FaultStepsTest extends OracleTestBase {
  private static final int FILES = 3;
  private static final int LINES = 60;
  private static final int ALWAYS = Integer.MAX_VALUE;

  private static final Set<Step> OF_SUBMISSION = EnumSet.of(Step.SPLITS, Step.CHECK_OUTPUT);
  private static final Set<Step> OF_THE_JOB =
      EnumSet.of(Step.SETUP_JOB, Step.COMMIT_JOB, Step.ABORT_JOB);
  private static final Set<Step> AFTER_OTHERS = EnumSet.of(Step.ABORT_TASK, Step.ABORT_JOB);

  /** One of each part of a task: its start, its loop, sort, combine, output and commit. */
  private static final Set<Step> OF_THE_CORE =
      EnumSet.of(
          Step.SETUP_TASK,
          Step.READER_NEXT,
          Step.MAP,
          Step.COMPARE,
          Step.COMBINE,
          Step.REDUCE,
          Step.WRITER_CLOSE,
          Step.COMMIT_TASK);

  private static final Map<Boolean, Oracle.Ran> STOCK = new HashMap<>();

  @TempDir private static Path shared;

  @BeforeAll
  static void writeForAll() throws IOException {
    new Inputs(shared, TestSeed.random()).files("lines", FILES, LINES, 50);
  }

  @BeforeEach
  void arm() {
    inputs = new Inputs(shared, random);
    oracle.conf().setInt("mapreduce.map.maxattempts", 2);
    oracle.conf().setInt("mapreduce.reduce.maxattempts", 2);
    Faults.none();
  }

  @AfterEach
  void disarm() {
    Faults.none();
  }

  /** Steps of tasks. */
  static Set<Step> steps() {
    EnumSet<Step> steps = EnumSet.allOf(Step.class);
    steps.removeAll(OF_SUBMISSION);
    steps.removeAll(OF_THE_JOB);
    steps.removeAll(AFTER_OTHERS);
    return steps;
  }

  static Set<Step> stepsOfTheCore() {
    return OF_THE_CORE;
  }

  static Set<Step> otherSteps() {
    Set<Step> steps = steps();
    steps.removeAll(OF_THE_CORE);
    return steps;
  }

  static Stream<Arguments> inAnyExchange() {
    return steps().stream()
        .flatMap(step -> Oracle.EXCHANGES.stream().map(exchange -> Arguments.of(step, exchange)));
  }

  private Oracle.Program program(Step step) {
    return settings -> FaultyJob.of(inputs.job(settings, "lines"), 2, combines(step));
  }

  private static boolean combines(Step step) {
    return step == Step.COMBINE;
  }

  /** The input is the same for all tests. */
  private Oracle.Ran stock(Step step) throws Exception {
    if (!STOCK.containsKey(combines(step))) {
      STOCK.put(combines(step), oracle.stock(program(step)));
    }
    return STOCK.get(combines(step));
  }

  private Kind kind() {
    return Kind.values()[random.nextInt(Kind.values().length)];
  }

  /** Some are called for each record, others once for each of the two reduces. */
  private int callsBefore(Step step) {
    return switch (step) {
      case READER_NEXT, MAP, PARTITION, KEY_WRITE, KEY_READ, COMPARE ->
          random.nextInt(FILES * LINES);
      case COMBINE, REDUCE, WRITE -> random.nextInt(20);
      default -> random.nextInt(2);
    };
  }

  @ParameterizedTest
  @MethodSource("steps")
  void whatFailsOnceIsDoneAgainAndNothingIsTwice(Step step) throws Exception {
    failsOnce(step, exchange());
  }

  @ParameterizedTest
  @MethodSource("inAnyExchange")
  @Tag("campaign")
  void whatFailsOnceIsDoneAgainInEachExchange(Step step, String exchange) throws Exception {
    failsOnce(step, exchange);
  }

  private void failsOnce(Step step, String exchange) throws Exception {
    Oracle.Ran stock = stock(step);
    Kind kind = kind();
    int callsBefore = callsBefore(step);
    Faults.at(step, kind, callsBefore, 1);
    Job job = oracle.ours(program(step), exchange, threads());
    Oracle.Ran ours = oracle.succeeded(oracle.run(job));
    assertTrue(Faults.haveHappened(), "nothing has failed");
    Oracle.same(stock, ours, kind + " at call " + callsBefore);
  }

  private void failed(Step step, String exchange) throws Exception {
    Oracle.Ran ran = oracle.run(oracle.ours(program(step), exchange, threads()));
    assertEquals(JobStatus.State.FAILED, ran.job().getStatus().getState());
    assertTrue(Oracle.failure(ran.job()).contains(Faults.REASON + step), Oracle.failure(ran.job()));
    // What tasks have committed may be there.
    assertTrue(
        ran.output().keySet().stream().noneMatch(name -> name.startsWith("_")),
        () -> ran.output().keySet().toString());
  }

  @ParameterizedTest
  @MethodSource("stepsOfTheCore")
  void whatAlwaysFailsFailsTheJobWithItsReason(Step step) throws Exception {
    alwaysFails(step);
  }

  @ParameterizedTest
  @MethodSource("otherSteps")
  @Tag("campaign")
  void whateverElseAlwaysFailsFailsTheJobToo(Step step) throws Exception {
    alwaysFails(step);
  }

  private void alwaysFails(Step step) throws Exception {
    Faults.at(step, kind(), callsBefore(step), ALWAYS);
    failed(step, exchange());
  }

  static Stream<Arguments> ofTheJob() {
    return Stream.of(Step.SETUP_JOB, Step.COMMIT_JOB)
        .flatMap(step -> Oracle.EXCHANGES.stream().map(exchange -> Arguments.of(step, exchange)));
  }

  @ParameterizedTest
  @MethodSource("ofTheJob")
  void theCommitterFailsTheJobEvenIfItCannotAbortIt(Step step, String exchange) throws Exception {
    Faults.at(step, kind(), 0, ALWAYS);
    Faults.at(Step.ABORT_JOB, kind(), 0, ALWAYS);
    failed(step, exchange);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anAttemptThatCannotBeAbortedIsDoneAgain(Kind kind) throws Exception {
    Oracle.Ran stock = stock(Step.MAP);
    Faults.at(Step.MAP, Kind.IO_EXCEPTION, random.nextInt(FILES * LINES), 1);
    Faults.at(Step.ABORT_TASK, kind, 0, 1);
    Oracle.same(
        stock, oracle.succeeded(oracle.run(oracle.ours(program(Step.MAP), "pull", 2))), "pull");
    assertTrue(Faults.haveHappened(), "nothing has failed");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"SPLITS", "CHECK_OUTPUT"})
  void whatCannotBeSubmittedSaysWhy(Step step) throws Exception {
    Faults.at(step, Kind.IO_EXCEPTION, 0, 1);
    Job job = oracle.ours(program(step), "pull", 1);
    IOException why = assertThrows(IOException.class, () -> oracle.run(job));
    assertTrue(why.getMessage().contains(Faults.REASON + step), why::toString);
  }

  /** An interrupt that nobody outside has sent: either the attempt ends, or it goes on. */
  @ParameterizedTest
  @MethodSource("stepsOfTheCore")
  void userCodeThatInterruptsItselfHarmsNobodyElse(Step step) throws Exception {
    interruptsItself(step);
  }

  @ParameterizedTest
  @MethodSource("otherSteps")
  @Tag("campaign")
  void norDoesItAnywhereElse(Step step) throws Exception {
    interruptsItself(step);
  }

  private void interruptsItself(Step step) throws Exception {
    String exchange = exchange();
    Oracle.Ran stock = stock(step);
    Faults.at(step, of -> Thread.currentThread().interrupt(), callsBefore(step), 1);
    Job job = oracle.ours(program(step), exchange, threads());
    Oracle.same(stock, oracle.succeeded(oracle.run(job)), exchange);
  }

  @Test
  void stepsAreAllReached() throws Exception {
    for (Step step : Step.values()) {
      if (!AFTER_OTHERS.contains(step)) {
        Faults.at(step, of -> {}, 0, 1);
      }
    }
    oracle.succeeded(oracle.run(oracle.ours(program(Step.COMBINE), "pull", 1)));
    assertTrue(Faults.haveHappened());
  }
}
