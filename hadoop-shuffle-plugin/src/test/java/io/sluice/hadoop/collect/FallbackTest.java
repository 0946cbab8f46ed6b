package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.entry.FallbackPolicy.FallbackRefused;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.SluiceMapOutput;
import io.sluice.hadoop.testing.StockMapOutput;
import io.sluice.hadoop.testing.TestJob;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A map that Sluice declines is the next collector's, and the log says it in one line. */
final class FallbackTest extends CollectorFixture {
  private static final String OURS = SluiceMapOutputCollector.class.getName();
  private static final String STOCK = MapTask.MapOutputBuffer.class.getName();
  private static final List<String> CALLS = new ArrayList<>();

  /** Another collector that a job may name. */
  public static class Other implements MapOutputCollector<Writable, Writable> {
    @Override
    public void init(Context context) throws IOException {
      CALLS.add("init");
    }

    @Override
    public void collect(Writable key, Writable value, int partition) {
      CALLS.add("collect " + partition);
    }

    @Override
    public void flush() {
      CALLS.add("flush");
    }

    @Override
    public void close() {
      CALLS.add("close");
    }
  }

  /** A collector that does not work here either. */
  public static final class Broken extends Other {
    @Override
    public void init(Context context) throws IOException {
      throw new IOException("it does not work here");
    }
  }

  /** Ours, on a bad day. */
  public static final class NeitherBeginsNorEnds extends Other {
    NeitherBeginsNorEnds(Map<String, String> environment) {}

    @Override
    public void init(Context context) throws IOException {
      throw new IOException("it does not begin");
    }

    @Override
    public void close() {
      throw new IllegalStateException("nor end");
    }
  }

  @BeforeEach
  void clearCalls() {
    CALLS.clear();
  }

  private void collectors(String... names) {
    job.setStrings(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, names);
  }

  private SluiceMapOutputCollector<Writable, Writable> withoutService() {
    return new SluiceMapOutputCollector<>(Map.of());
  }

  private long fallbacks() {
    return SluiceCounter.FALLBACK_MAP_TO_STOCK.of(ours.reporter()).getValue();
  }

  /** As the task itself goes about it, in an environment without a service: this test's own. */
  @Test
  void isOneLineInTheLogOfTheTask() throws Exception {
    collectors(OURS, STOCK);
    List<Emitted> records = records(100, 20, 20);
    try (LogLines log = new LogLines()) {
      MapOutputCollector<Writable, Writable> collector = ours.createCollector();
      for (Emitted record : records) {
        collector.collect(record.key(), record.value(), record.partition());
      }
      collector.flush();
      collector.close();
      assertEquals(
          List.of(
              "INFO Sluice leaves this map to the stock collector: this node's NodeManager runs no"
                  + " auxiliary service sluice_shuffle; see yarn.nodemanager.aux-services"),
          log.with("Sluice leaves"));
      assertEquals(List.of(), log.with("WARN"));
      assertEquals(List.of(), log.with("Exception"));
    }
    assertEquals(1, fallbacks());
    int written = 0;
    for (int partition = 0; partition < job.getNumReduceTasks(); partition++) {
      written += StockMapOutput.read(ours, job, partition).size();
    }
    assertEquals(100, written);
  }

  /** Not after all maps, by every reduce. */
  @ParameterizedTest
  @CsvSource({
    "sluice.reduce.buffer-mb, 2048",
    "sluice.reduce.transport, pigeon",
    "sluice.io.timeout-ms, soon",
    "sluice.cluster.write-behind, perhaps"
  })
  void aSettingOfReducesThatIsNoneIsFoundByTheFirstMap(String name, String value) throws Exception {
    job.set(name, value);
    try (LogLines log = new LogLines()) {
      ours.run(
          TestCollectors.in(node.environment()),
          List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
      assertEquals(1, log.with("to the stock collector: " + name + " is '" + value).size());
    }
    assertEquals(1, StockMapOutput.read(ours, job, 2).size());
    assertEquals(1, fallbacks());
    job.set("sluice.fallback.policy", "never");
    FallbackRefused refused =
        assertThrows(
            FallbackRefused.class,
            () -> ours.run(TestCollectors.in(node.environment()), List.of()));
    assertTrue(refused.getMessage().contains(name), refused.getMessage());
  }

  /** In the log of the task, and in the counters that the job's client prints. */
  @ParameterizedTest
  @CsvSource({"yarn, 0", "local, 1"})
  void aNameThatIsNoSettingIsToldAlsoWhereStockTakesTheMap(String framework, long fallbacks)
      throws Exception {
    job.set(MRConfig.FRAMEWORK_NAME, framework);
    job.set("sluice.reduce.bufer-mb", "32");
    try (LogLines log = new LogLines()) {
      ours.run(
          TestCollectors.in(node.environment()),
          List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
      assertEquals(
          List.of(
              "WARN sluice.reduce.bufer-mb is no setting of Sluice; the nearest name is"
                  + " sluice.reduce.buffer-mb"),
          log.with("bufer"));
    }
    assertEquals(
        1,
        ours.reporter()
            .getCounter(
                SluiceCounter.GROUP, "NO_SETTING reduce.bufer-mb (nearest reduce.buffer-mb)")
            .getValue());
    assertEquals(fallbacks, fallbacks());
  }

  /** With stock's collector it would succeed, whose counters are not limited. */
  @ParameterizedTest
  @ValueSource(strings = {"yarn", "local"})
  void aTaskThatHasAllCountersThatAJobMayHaveSucceeds(String framework) throws Exception {
    job.set(MRConfig.FRAMEWORK_NAME, framework);
    job.set("sluice.reduce.bufer-mb", "32");
    for (int i = 0; i < Limits.getCountersMax(); i++) {
      ours.reporter().getCounter("user", Integer.toString(i));
    }
    ours.run(
        TestCollectors.in(node.environment()),
        List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
    assertThrows(LimitExceededException.class, () -> ours.reporter().getCounter("user", "more"));
  }

  /** Stock sorts inside the heap; YARN would kill a container that has room for that alone. */
  @ParameterizedTest
  @CsvSource({"false, 30", "true, 29"}) // an extent is mapped, and a compressor has buffers
  void aSortBufferFitsTheContainer(boolean compresses, int sortMb) throws Exception {
    job.setCompressMapOutput(compresses);
    job.setInt(MRJobConfig.IO_SORT_MB, 64);
    job.setInt(MRJobConfig.MAP_MEMORY_MB, 1);
    Map<String, String> container = new HashMap<>(node.environment());
    container.put("CONTAINER_ID", "container_1700000000000_0007_01_000002");
    try (LogLines log = new LogLines()) {
      ours.run(
          TestCollectors.in(container),
          List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
      assertEquals(
          1,
          log.with(
                  "has %s MiB instead of the 64 MiB of mapreduce.task.io.sort.mb".formatted(sortMb))
              .size());
      assertEquals(1, log.with("sort buffer %s MiB off heap".formatted(sortMb)).size());
    }
    assertEquals(0, fallbacks());
  }

  /** Its reducers may be unable to read any pool; a life of the master counts as an attempt. */
  @ParameterizedTest
  @CsvSource({
    "0, false",
    "1, false",
    "2, true",
    "3, true",
    "1000, false",
    "1001, true",
    "2000, true"
  })
  void isStocksFromTheThirdAttemptOn(int attempt, boolean stocks) throws Exception {
    MapSide map = new MapSide(job, TestJob.map(3, attempt));
    List<Emitted> one = List.of(new Emitted(new Text("k"), new BytesWritable(), 2));
    try (LogLines log = new LogLines()) {
      map.run(TestCollectors.in(node.environment()), one);
      assertEquals(
          stocks ? 1 : 0,
          log.with(
                  "INFO Sluice leaves this map to the stock collector: earlier attempts of this map"
                      + " could not be read or failed")
              .size());
    }
    assertEquals(stocks ? 1 : 0, SluiceCounter.FALLBACK_MAP_TO_STOCK.of(map.reporter()).getValue());
    if (stocks) {
      assertEquals(1, StockMapOutput.read(map, job, 2).size());
    } else {
      assertEquals(1, SluiceMapOutput.read(node, map.getTaskID(), 2, codec()).size());
    }
  }

  @Test
  void isNoStocksInAnyAttemptWhereTheJobRulesThatOut() throws Exception {
    job.set(FallbackPolicy.KEY, "never");
    MapSide map = new MapSide(job, TestJob.map(3, 3));
    map.run(
        TestCollectors.in(node.environment()),
        List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
    assertEquals(1, SluiceMapOutput.read(node, map.getTaskID(), 2, codec()).size());
    assertEquals(0, SluiceCounter.FALLBACK_MAP_TO_STOCK.of(map.reporter()).getValue());
  }

  /** Where only the service and the entries could be loaded. */
  @Test
  void isStocksOnAnOlderJava() throws Exception {
    try (LogLines log = new LogLines()) {
      ours.run(
          new SluiceMapOutputCollector<>(node.environment(), "1.8"),
          List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
      assertEquals(
          List.of(
              "INFO Sluice leaves this map to the stock collector: it needs Java 17 or later, and"
                  + " this JVM is Java 8"),
          log.with("Sluice leaves"));
    }
    assertEquals(1, StockMapOutput.read(ours, job, 2).size());
    assertEquals(1, fallbacks());
  }

  /** Not even the next of the list, which the task would try by itself after an exception. */
  @Test
  void isNobodysWhereTheJobRulesThatOut() throws Exception {
    collectors(OURS, Other.class.getName(), STOCK);
    job.set(FallbackPolicy.KEY, "never");
    assertRefused(
        "sluice.fallback.policy is never, and this node's NodeManager runs no auxiliary service"
            + " sluice_shuffle; see yarn.nodemanager.aux-services",
        ours::createCollector);
    assertRefused(
        "sluice.fallback.policy is never, and it needs Java 17 or later, and this JVM is Java 11",
        () -> ours.run(new SluiceMapOutputCollector<>(node.environment(), "11"), List.of()));
    job.set(FallbackPolicy.KEY, "nevermore");
    assertRefused(
        "sluice.fallback.policy is 'nevermore', expected one of auto, never",
        () -> ours.run(new SluiceMapOutputCollector<>(node.environment()), List.of()));
    assertEquals(List.of(), CALLS);
    assertEquals(0, fallbacks());
  }

  private SluiceMapOutputCollector<Writable, Writable> neitherBeginsNorEnds() {
    return new SluiceMapOutputCollector<>(
        node.environment(), JavaVersion.current(), NeitherBeginsNorEnds.class.getName());
  }

  @Test
  void whatCannotBeClosedEitherIsTheNextCollectorsAndCounted() throws Exception {
    ours.run(neitherBeginsNorEnds(), List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
    assertEquals(1, StockMapOutput.read(ours, job, 2).size());
    assertEquals(1, fallbacks());
  }

  @Test
  void whatCannotBeClosedEitherIsNobodysWhereTheJobRulesThatOut() {
    job.set(FallbackPolicy.KEY, "never");
    assertRefused(
        "sluice.fallback.policy is never, and it does not begin; then it could not be closed:"
            + " java.lang.IllegalStateException: nor end",
        () -> ours.run(neitherBeginsNorEnds(), List.of()));
    assertEquals(0, fallbacks());
  }

  private static void assertRefused(String why, Executable map) {
    Throwable refused = assertThrows(Throwable.class, map);
    while (refused instanceof InvocationTargetException) {
      refused = refused.getCause();
    }
    assertInstanceOf(FallbackRefused.class, refused);
    assertEquals(why, refused.getMessage());
  }

  @Test
  void isNobodyElsesWhereSluiceWorks() throws Exception {
    job.set(FallbackPolicy.KEY, "never");
    ours.run(new SluiceMapOutputCollector<>(node.environment()), records(10, 20, 20));
    assertEquals(0, fallbacks());
  }

  @Test
  void isStocksCollectorWhereTheJobNamesNone() throws Exception {
    collectors(OURS);
    ours.run(withoutService(), List.of(new Emitted(new Text("k"), new BytesWritable(), 2)));
    assertEquals(1, StockMapOutput.read(ours, job, 2).size());
    assertEquals(1, fallbacks());
  }

  @Test
  void isTheNextOfTheList() throws Exception {
    collectors(STOCK, OURS, Other.class.getName(), STOCK);
    try (LogLines log = new LogLines()) {
      ours.run(withoutService(), List.of(records(1, 20, 20).get(0)));
      assertEquals(1, log.with("Sluice leaves this map to " + Other.class.getName()).size());
    }
    assertEquals(4, CALLS.size(), CALLS.toString());
    assertEquals("init", CALLS.get(0));
    assertEquals(List.of("flush", "close"), CALLS.subList(2, 4));
    assertEquals(1, fallbacks());
  }

  @Test
  void goesOnBehindACollectorThatDoesNotWorkEither() throws Exception {
    collectors(OURS, Broken.class.getName(), Other.class.getName());
    try (LogLines log = new LogLines()) {
      ours.run(withoutService(), List.of());
      assertEquals(1, log.with("it does not work here").size());
    }
    assertEquals(List.of("init", "flush", "close"), CALLS);
    assertEquals(1, fallbacks());
  }

  /** The task then says what it always says, with the last collector's reason. */
  @Test
  void failsWithTheLastOnesReasonWhereNoneWorks() {
    collectors(OURS, Broken.class.getName());
    InvocationTargetException e =
        assertThrows(InvocationTargetException.class, ours::createCollector);
    assertInstanceOf(IOException.class, e.getCause());
    assertEquals(
        "Initialization of all the collectors failed. Error in last collector was:"
            + "java.io.IOException: it does not work here",
        e.getCause().getMessage());
  }
}
