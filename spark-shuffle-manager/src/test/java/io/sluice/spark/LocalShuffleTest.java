package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.pool.PoolEndpoint;
import io.sluice.spill.store.StoreStats;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.FallbackStorage;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Jobs in a local Spark against plain collections; all blocks are of this very process. */
@ExtendWith(ShuffledRecords.class)
class LocalShuffleTest {
  private static final int RECORDS = 50_000;
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
  private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";

  private static final CountDownLatch BEGUN = new CountDownLatch(1);
  private static final CountDownLatch WRITING = new CountDownLatch(1);

  /** Of 300 characters, more than a file name has. */
  private static final String LONG_ID =
      "a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-charac"
          + "a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-charac"
          + "a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-characters-a-hundred-charac";

  @TempDir private Path pools;

  private SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("LocalShuffleTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.cleaner.referenceTracking", "false") // a collected RDD's shuffle stays as well
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.pool.dir", pools.toString())
        .set("spark.sluice.pool.capacity", "64m")
        .set("spark.sluice.pool.segmentSize", "16m");
  }

  private static PoolShuffleManager manager() {
    return PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
  }

  private static List<Integer> numbers() {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, RECORDS).boxed().toList());
    Collections.shuffle(numbers, new java.util.Random(1));
    return numbers;
  }

  @ParameterizedTest
  @CsvSource({
    KRYO + ",1,false",
    KRYO + ",7,false",
    KRYO + ",7,true",
    KRYO + ",1500,false",
    JAVA + ",7,false",
    JAVA + ",7,true"
  })
  void groupsCombinesAndSortsWithoutLeavingAnythingToSpark(
      String serializer, int partitions, boolean encrypted) throws IOException {
    SparkConf conf =
        conf()
            .set("spark.serializer", serializer)
            .set("spark.io.encryption.enabled", Boolean.toString(encrypted));
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      JavaPairRDD<Integer, Integer> pairs =
          context.parallelize(numbers(), 3).mapToPair(i -> new Tuple2<>(i % 100, i));
      Map<Integer, Integer> sizes =
          new HashMap<>(
              pairs
                  .groupByKey(partitions)
                  .mapValues(values -> (int) values.spliterator().getExactSizeIfKnown())
                  .collectAsMap());
      Map<Integer, Integer> counts =
          new TreeMap<>(
              pairs.mapValues(i -> 1).reduceByKey(Integer::sum, partitions).collectAsMap());
      assertEquals(100, counts.size());
      assertTrue(counts.values().stream().allMatch(count -> count == RECORDS / 100));
      assertEquals(counts.keySet(), sizes.keySet());
      List<Integer> sorted =
          context
              .parallelize(numbers(), 3)
              .mapToPair(i -> new Tuple2<>(i, i))
              .sortByKey(true, partitions)
              .keys()
              .collect();
      assertEquals(IntStream.range(0, RECORDS).boxed().toList(), sorted);
      assertEquals(Map.of(), manager().counters().fallbacks());
      assertEquals(0, dataFiles(), "no shuffle file was written");
      assertEquals(
          0,
          UnifiedMemoryManager.getMemoryByComponentType("Sluice"),
          "the pool is not taken from Spark's off-heap memory");
    }
    assertNoPoolIsLeft();
  }

  @Test
  void whatCannotBeCutIsLeftToSparkAndCounted() {
    try (JavaSparkContext context = new JavaSparkContext(conf().set("spark.serializer", JAVA))) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(300).count());
      assertEquals(1, manager().counters().fallbacks().size());
    }
  }

  @ParameterizedTest
  @CsvSource({"7", "300"})
  void spillsIntoThePoolWhenTheTaskHasNoMemory(int partitions) {
    SparkConf conf =
        conf()
            .set("spark.serializer", KRYO)
            .set("spark.memory.fraction", "0.01")
            .set("spark.shuffle.compress", "false");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      // 40 MB of records, several times what a task may have.
      long bytes =
          context
              .parallelize(numbers(), 2)
              .mapToPair(i -> new Tuple2<>(i, new byte[800]))
              .partitionBy(new org.apache.spark.HashPartitioner(partitions))
              .values()
              .map(value -> (long) value.length)
              .reduce(Long::sum);
      assertEquals(800L * RECORDS, bytes);
    }
  }

  @Test
  void aShuffleThatNobodyNeedsGivesItsMemoryBack() throws IOException {
    SparkConf collecting = conf().set("spark.cleaner.referenceTracking", "true");
    try (JavaSparkContext context = new JavaSparkContext(collecting)) {
      JavaPairRDD<Integer, Integer> grouped =
          context
              .parallelize(numbers(), 3)
              .mapToPair(i -> new Tuple2<>(i, i))
              .groupByKey(3)
              .mapValues(values -> 1);
      assertEquals(RECORDS, grouped.count());
      assertTrue(manager().poolStats().orElseThrow().outputs() > 0);
      assertEquals(3L, gauge("pool.outputs"));
      assertTrue(gauge("pool.memory.usedBytes") > 0);
      // As if the driver had found that nobody refers to it any more.
      context.sc().cleaner().get().doCleanupShuffle(0, true);
      assertEquals(0, manager().poolStats().orElseThrow().outputs());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"my.app", "a/b: größe", LONG_ID})
  void anApplicationMayHaveAnyId(String id) {
    try (JavaSparkContext context = new JavaSparkContext(conf().set("spark.test.appId", id))) {
      assertEquals(id, context.sc().applicationId());
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(Map.of(), manager().counters().fallbacks());
      assertEquals(3, manager().poolStats().orElseThrow().outputs());
    }
  }

  @Test
  void aPoolWithoutAFreePortLeavesTheWritingToSpark() throws IOException {
    try (LogLines log = new LogLines(ExecutorSide.class);
        ServerSocket taken = new ServerSocket(0);
        JavaSparkContext context =
            new JavaSparkContext(
                conf()
                    .set("spark.sluice.pool.port", Integer.toString(taken.getLocalPort()))
                    .set("spark.port.maxRetries", "0"))) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(Map.of("an executor without a pool", 3L), manager().counters().fallbacks());
      assertEquals(1, log.with("spark.sluice.pool.port = " + taken.getLocalPort()).size());
      assertEquals(1, log.with("see spark.port.maxRetries").size());
    }
  }

  @Test
  void aPoolThatCannotBeOpenedLeavesTheWritingToSpark() {
    SparkConf conf = conf().set("spark.sluice.pool.dir", "/proc/none");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(
          List.of("an executor without a pool"),
          List.copyOf(manager().counters().fallbacks().keySet()));
    }
  }

  /** With one core, the next task does not begin before that one has ended. */
  @Test
  void aTaskThatIsKilledAsItOpensThePoolLeavesThatToTheNext() throws InterruptedException {
    try (JavaSparkContext context = new JavaSparkContext(conf().setMaster("local[1]"))) {
      context.setJobGroup("killed", "a job that is cancelled", true);
      JavaFutureAction<Long> killed =
          context
              .parallelize(numbers(), 1)
              .mapPartitions(LocalShuffleTest::untilKilled)
              .repartition(4)
              .countAsync();
      assertTrue(BEGUN.await(1, TimeUnit.MINUTES));
      context.cancelJobGroup("killed");
      assertThrows(Exception.class, killed::get);
      context.clearJobGroup();
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(Map.of(), manager().counters().fallbacks());
      assertEquals(3, manager().poolStats().orElseThrow().outputs());
    }
  }

  /** The killed task's leases are free again, and the pool works as before. */
  @Test
  void aTaskThatIsKilledWhileItWritesLeavesThePoolToTheOthers() throws InterruptedException {
    SparkConf conf = conf().setMaster("local[1]").set("spark.shuffle.compress", "false");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      context.setJobGroup("killed", "a job that is cancelled", true);
      JavaFutureAction<Long> killed =
          context
              .parallelize(numbers(), 1)
              .mapPartitionsToPair(LocalShuffleTest::killedHalfway)
              .partitionBy(new org.apache.spark.HashPartitioner(4))
              .countAsync();
      assertTrue(WRITING.await(1, TimeUnit.MINUTES));
      context.cancelJobGroup("killed");
      assertThrows(Exception.class, killed::get);
      context.clearJobGroup();
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(Map.of(), manager().counters().fallbacks());
      StoreStats stats = manager().poolStats().orElseThrow();
      assertEquals(3, stats.outputs());
      assertEquals(0, stats.memory().leasedBytes());
      assertEquals(0, stats.overflows(), "the memory tier is as good as before");
    }
  }

  /**
   * Spark stops the writer of a task that ends by an exception, and forgets one that an error ends.
   */
  @Test
  void anErrorOfTheUsersLeavesNothingOfItsTaskInThePool() {
    SparkConf conf = conf().setMaster("local[1]").set("spark.shuffle.compress", "false");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertThrows(
          Exception.class,
          () ->
              context
                  .parallelize(numbers(), 1)
                  .mapPartitionsToPair(LocalShuffleTest::failedHalfway)
                  .partitionBy(new org.apache.spark.HashPartitioner(4))
                  .count());
      StoreStats stats = manager().poolStats().orElseThrow();
      assertEquals(0, stats.outputs());
      assertEquals(0, stats.memory().leasedBytes());
      assertEquals(0, stats.disk().leasedBytes());
    }
  }

  private static Iterator<Tuple2<Integer, byte[]>> failedHalfway(Iterator<Integer> numbers) {
    AtomicInteger count = new AtomicInteger();
    return CollectionConverters.asJava(
        CollectionConverters.asScala(numbers)
            .map(
                number -> {
                  if (count.incrementAndGet() == RECORDS / 2) {
                    throw new AssertionError("expected by this test");
                  }
                  return new Tuple2<>(number, new byte[800]);
                }));
  }

  /** Halfway through, most of that is in the pool; Spark ends the task at the next record. */
  private static Iterator<Tuple2<Integer, byte[]>> killedHalfway(Iterator<Integer> numbers) {
    AtomicInteger count = new AtomicInteger();
    return CollectionConverters.asJava(
        CollectionConverters.asScala(numbers)
            .map(
                number -> {
                  if (count.incrementAndGet() == RECORDS / 2) {
                    WRITING.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                      LockSupport.park();
                    }
                  }
                  return new Tuple2<>(number, new byte[800]);
                }));
  }

  /** The writer is made after this, by a thread that is still interrupted. */
  private static Iterator<Integer> untilKilled(Iterator<Integer> numbers) {
    BEGUN.countDown();
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.park();
    }
    return numbers;
  }

  /** Whatever the driver thought before; that it was elsewhere, say. */
  @Test
  void whatIsMovedHereIsRegisteredWithThePoolThatHasIt() throws IOException {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      SluiceBlockResolver resolver = (SluiceBlockResolver) manager().shuffleBlockResolver();
      List<ShuffleBlockInfo> stored = CollectionConverters.asJava(resolver.getStoredShuffles());
      assertEquals(3, stored.size());
      long mapId = stored.get(0).mapId();
      MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
      tracker.updateMapOutput(
          0, mapId, BlockManagerId.apply("gone", "127.0.0.1", 7, Option.empty()));
      for (Tuple2<BlockId, ManagedBuffer> block :
          CollectionConverters.asJava(resolver.getMigrationBlocks(stored.get(0)))) {
        StreamCallbackWithID stream = resolver.putShuffleBlockAsStream(block._1(), null);
        stream.onData(stream.getID(), block._2().nioByteBuffer());
        stream.onComplete(stream.getID());
      }
      BlockManagerId location = tracker.getMapOutputLocation(0, mapId).get();
      assertEquals("driver", location.executorId());
      assertTrue(PoolEndpoint.of(location).isPresent(), location.toString());
      resolver.addShuffleToSkip(0);
      assertEquals(0, resolver.getStoredShuffles().size());
    }
  }

  /** Which takes files, and reports as moved what it has looked for. */
  @Test
  void whatTheFallbackStorageCopiesIsReadThere() throws IOException {
    SparkConf conf =
        conf()
            .set("spark.storage.decommission.fallbackStorage.path", pools.toUri() + "fallback/")
            .set("spark.sluice.pool.dir", Files.createDirectory(pools.resolve("own")).toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      JavaRDD<Integer> repartitioned = context.parallelize(numbers(), 3).repartition(4);
      assertEquals(RECORDS, repartitioned.count());
      SluiceBlockResolver resolver = (SluiceBlockResolver) manager().shuffleBlockResolver();
      FallbackStorage storage = FallbackStorage.getFallbackStorage(context.getConf()).get();
      for (ShuffleBlockInfo stored : CollectionConverters.asJava(resolver.getStoredShuffles())) {
        storage.copy(stored, SparkEnv.get().blockManager());
      }
      assertEquals(6, dataFiles(), "data and index of each");
      assertEquals(3, Set.copyOf(storedShuffles(resolver)).size(), "each is one output");
      manager().unregisterShuffle(0);
      assertEquals(0, dataFiles(), "they go with their shuffle");
      assertEquals(RECORDS, repartitioned.count());
      assertEquals(0, manager().poolStats().orElseThrow().outputs(), "no map task ran again");
    }
  }

  private static List<ShuffleBlockInfo> storedShuffles(SluiceBlockResolver resolver) {
    return CollectionConverters.asJava(resolver.getStoredShuffles());
  }

  @Test
  void filesThatComeFromAnotherExecutorGoWithTheirShuffle() throws IOException {
    SparkConf conf = conf().set("spark.sluice.pool.dir", "/proc/none");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      SluiceBlockResolver resolver = (SluiceBlockResolver) manager().shuffleBlockResolver();
      ByteBuffer index = ByteBuffer.allocate(5 * Long.BYTES).putLong(4 * Long.BYTES, 3);
      BlockId data = new ShuffleDataBlockId(0, 77, 0);
      receive(resolver, data, ByteBuffer.wrap(new byte[] {1, 2, 3}));
      receive(resolver, new ShuffleIndexBlockId(0, 77, 0), index);
      assertTrue(storedShuffles(resolver).contains(new ShuffleBlockInfo(0, 77)));
      manager().unregisterShuffle(0);
      assertEquals(List.of(), storedShuffles(resolver));
    }
  }

  private static void receive(SluiceBlockResolver resolver, BlockId id, ByteBuffer bytes)
      throws IOException {
    StreamCallbackWithID stream =
        resolver.putShuffleBlockAsStream(id, SparkEnv.get().serializerManager());
    stream.onData(stream.getID(), bytes);
    stream.onComplete(stream.getID());
  }

  /** As in Spark's SQL engine, when a query has ended and another one asks for its rows. */
  @Test
  void aShuffleWhoseOutputsSparkHasRemovedIsComputedAgain() {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      JavaRDD<Integer> repartitioned = context.parallelize(numbers(), 3).repartition(4);
      assertEquals(RECORDS, repartitioned.count());
      context.sc().shuffleDriverComponents().removeShuffle(0, true);
      assertEquals(0, manager().poolStats().orElseThrow().outputs());
      assertEquals(RECORDS, repartitioned.count());
      assertEquals(3, manager().poolStats().orElseThrow().outputs());
    }
  }

  @Test
  void withoutTheNodesServiceThePoolIsTheExecutorsOwn() {
    SparkConf conf = conf().set("spark.sluice.service", pools.resolve("none").toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(
          Map.of("a node's service that cannot be reached", 3L), manager().counters().fallbacks());
      assertEquals(3, manager().poolStats().orElseThrow().outputs());
    }
  }

  /** An executor's own pool would end with it. */
  @Test
  void withTheExternalShuffleServiceFilesTakeWhatTheNodesServiceDoesNot() throws IOException {
    SparkConf conf =
        conf()
            .set("spark.shuffle.service.enabled", "true")
            .set("spark.sluice.service", pools.resolve("none").toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(
          Map.of("a node's service that cannot be reached", 3L, "an executor without a pool", 3L),
          manager().counters().fallbacks());
      assertFalse(manager().poolStats().isPresent());
      assertTrue(dataFiles() > 0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "spark.shuffle.useOldFetchProtocol, true, 4, 'spark.shuffle.useOldFetchProtocol is on'",
    "spark.serializer, " + JAVA + ", 300, 'more than 200 partitions whose streams'",
    "spark.sluice.pool.dir, /proc/none, 4, 'this executor has no pool: java.'",
    "spark.sluice.service, /proc/none, 4, 'the node''s service cannot be reached: java.'"
  })
  void nothingIsLeftToSparkWhereThatIsRuledOut(
      String key, String value, int partitions, String reason) {
    SparkConf conf = conf().set("spark.sluice.fallback.policy", "never").set(key, value);
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      JavaRDD<Integer> rdd = context.parallelize(numbers(), 3);
      String message =
          assertThrows(Exception.class, () -> rdd.repartition(partitions).count()).getMessage();
      assertTrue(message.contains("spark.sluice.fallback.policy is never, and " + reason), message);
      assertEquals(Map.of(), manager().counters().fallbacks());
    }
  }

  @Test
  void aServiceCalledNoneIsNotLookedFor() {
    SparkConf conf = conf().set("spark.sluice.service", "none");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertFalse(context.sc().shuffleDriverComponents().supportsReliableStorage());
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertEquals(Map.of(), manager().counters().fallbacks());
    }
  }

  @Test
  void aSettingThatIsNoneIsSaidWhenTheApplicationStarts() {
    SparkConf conf = conf().set("spark.sluice.pool.capacity", "lots");
    Exception e = assertThrows(Exception.class, () -> new JavaSparkContext(conf));
    StringBuilder said = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      said.append(cause.getMessage());
    }
    assertTrue(said.toString().contains("spark.sluice.pool.capacity is 'lots'"), said.toString());
  }

  @Test
  void anApplicationThatIsLeftToSparkIsNotTouched() {
    SparkConf conf = conf().set("spark.shuffle.useOldFetchProtocol", "true");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(RECORDS, context.parallelize(numbers(), 3).repartition(4).count());
      assertFalse(manager().poolStats().isPresent());
      assertTrue(SparkEnv.get().conf().getBoolean("spark.shuffle.readHostLocalDisk", true));
    }
  }

  private static long gauge(String name) {
    return (Long)
        SparkEnv.get()
            .metricsSystem()
            .getSourcesByName("sluice")
            .head()
            .metricRegistry()
            .getGauges()
            .get(name)
            .getValue();
  }

  private void assertNoPoolIsLeft() throws IOException {
    try (Stream<Path> files = Files.walk(pools)) {
      assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".lock")).toList());
    }
  }

  private static long dataFiles() throws IOException {
    long count = 0;
    for (java.io.File dir : SparkEnv.get().blockManager().diskBlockManager().localDirs()) {
      try (Stream<Path> files = Files.walk(dir.toPath())) {
        count += files.filter(file -> file.getFileName().toString().startsWith("shuffle_")).count();
      }
    }
    return count;
  }

  @Test
  void aSettingThatIsOverwrittenIsSaidOnce() {
    for (boolean set : List.of(true, false)) {
      SparkConf conf = conf();
      if (set) {
        conf.set("spark.shuffle.readHostLocalDisk", "true");
      }
      try (LogLines log = new LogLines(PoolShuffleManager.class);
          JavaSparkContext context = new JavaSparkContext(conf)) {
        assertFalse(context.sc().conf().getBoolean("spark.shuffle.readHostLocalDisk", true));
        assertEquals(set ? 1 : 0, log.with("readHostLocalDisk is set to false").size());
        assertEquals(List.of(), log.with("leaves this application"));
      }
    }
  }

  @Test
  void anApplicationThatIsLeftToSparkIsSaidOnce() {
    SparkConf conf = conf().set("spark.shuffle.useOldFetchProtocol", "true");
    try (LogLines log = new LogLines(PoolShuffleManager.class);
        JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(
          2,
          context
              .parallelize(numbers(), 3)
              .mapToPair(i -> new Tuple2<>(i % 2, i))
              .groupByKey(2)
              .count());
      assertEquals(1, log.with("spark.shuffle.useOldFetchProtocol").size());
      assertEquals(
          Map.of(manager().declined().orElseThrow(), 1L), manager().counters().fallbacks());
    }
  }
}
