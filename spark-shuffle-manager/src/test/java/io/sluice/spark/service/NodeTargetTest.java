package io.sluice.spark.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.node.socket.ServiceFile;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.TransportChooser;
import io.sluice.spark.LogLines;
import io.sluice.spark.PoolShuffleManager;
import io.sluice.spark.ShuffledRecords;
import io.sluice.spark.SluiceShuffleManager;
import io.sluice.spark.conf.ApplicationId;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.OutputTarget.Attempt;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.TrustedPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.util.AbstractFileRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** A node's service and a local Spark; all blocks lie in the service's pool. */
@ExtendWith(ShuffledRecords.class)
class NodeTargetTest {
  private static final int RECORDS = 20_000;
  private static final String WINDOWS = "spark.sluice.read.buffer";
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  @TempDir private Path base;
  private NodeService service;

  @BeforeEach
  void start() throws IOException {
    service = service();
  }

  private NodeService service() throws IOException {
    return service(base.resolve("service"), 16 << 20, 4 << 20);
  }

  /** Nearly all of an output lies on its disk tier. */
  private NodeService smallService() throws IOException {
    return service(base.resolve("small"), 1 << 20, 1 << 20);
  }

  private NodeService service(Path directory, long capacityBytes, int segmentBytes)
      throws IOException {
    NodeService started =
        NodeService.start(
            ServiceContext.at(
                    ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED), capacityBytes)
                .segments(segmentBytes)
                .overflow(List.of(base.resolve("overflow-" + directory.getFileName())), 0)
                .transport(TransportChooser.AUTO)
                .listen(InetAddress.getLoopbackAddress(), 0)
                .recover(true));
    ServiceFile.write(directory, started.metadata().address().at(""));
    return started;
  }

  /** One that hangs: the kernel takes connections for it. */
  @Test
  void theTasksOfAnExecutorWaitForASilentServiceOnce() throws Exception {
    Path silent = Files.createDirectory(base.resolve("silent"), OWNER_ONLY);
    Path socket = ServiceAddress.socketIn(silent);
    ServiceFile.write(silent, new ServiceAddress("127.0.0.1", 1, socket, "plain"));
    SparkConf conf = conf().set("spark.sluice.io.timeout", "3000ms");
    ApplicationSecret.create(conf);
    ExecutorService tasks = Executors.newFixedThreadPool(4);
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        ServiceConnection pool = nodePool(conf, "app-1", silent)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      List<Future<?>> connecting = new ArrayList<>();
      for (int task = 0; task < 4; task++) {
        connecting.add(
            tasks.submit(
                () -> {
                  pool.connect();
                  return null;
                }));
      }
      for (Future<?> each : connecting) {
        assertThrows(ExecutionException.class, () -> each.get(1, TimeUnit.MINUTES));
      }
      listener.configureBlocking(false);
      listener.accept().close();
      assertNull(listener.accept(), "a second one has waited");
    } finally {
      tasks.shutdownNow();
    }
  }

  @AfterEach
  void stop() throws IOException {
    service.close();
  }

  SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("NodeTargetTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.cleaner.referenceTracking", "false") // nothing is removed but by the tests
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.service", base.resolve("service").toString());
  }

  private static JavaPairRDD<Integer, Integer> grouped(JavaSparkContext context) {
    return context
        .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 3)
        .mapToPair(i -> new Tuple2<>(i % 100, i))
        .groupByKey(5)
        .mapValues(values -> (int) values.spliterator().getExactSizeIfKnown());
  }

  @Test
  void outputsLieInTheServicesPoolUntilNobodyNeedsThem() {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      JavaPairRDD<Integer, Integer> grouped = grouped(context);
      Map<Integer, Integer> sizes = grouped.collectAsMap();
      assertEquals(100, sizes.size());
      assertEquals(Set.of(RECORDS / 100), Set.copyOf(sizes.values()));
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      assertEquals(Map.of(), manager.counters().fallbacks());
      assertTrue(manager.poolStats().isEmpty(), "the executor has opened a pool of its own");
      assertEquals(3, service.store().stats().outputs());
      assertTrue(manager.counters().serviceBytes() > 0, "what it wrote is counted");
      assertTrue(context.sc().shuffleDriverComponents().supportsReliableStorage());
      grouped(context).count();
      assertEquals(6, service.store().stats().outputs());
      context.sc().shuffleDriverComponents().removeShuffle(0, true);
      assertEquals(3, service.store().stats().outputs());
      assertEquals(1, service.applications().notHeardOf(0).size());
    }
    assertEquals(0, service.store().stats().outputs());
    assertEquals(Set.of(), service.applications().notHeardOf(0));
  }

  @Test
  void theExternalShuffleServiceChangesNothingOfThat() {
    SparkConf conf = conf().set("spark.shuffle.service.enabled", "true");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(100, grouped(context).collectAsMap().size());
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      assertEquals(Map.of(), manager.counters().fallbacks());
      assertEquals(3, service.store().stats().outputs());
      assertTrue(manager.poolStats().isEmpty(), "the executor has opened a pool of its own");
      assertTrue(context.sc().shuffleDriverComponents().supportsReliableStorage());
    }
    assertEquals(0, service.store().stats().outputs());
  }

  /** An application may have no executor for hours, which else show it. */
  @Test
  void theDriverShowsTheApplicationToTheServicesOfItsOutputs() throws IOException {
    try (LogLines log = new LogLines(ServiceDriver.class);
        JavaSparkContext context = new JavaSparkContext(conf())) {
      ServiceDriver driver = (ServiceDriver) context.sc().shuffleDriverComponents();
      grouped(context).count();
      driver.show();
      assertEquals(List.of(), log.with("could not"));
      service.applicationStopped(context.sc().applicationId()); // as if it had never come
      driver.show();
      assertEquals(1, log.with("could not be told that").size());
    }
  }

  @Test
  void withoutTheSettingNothingIsPromised() {
    SparkConf conf = conf().remove("spark.sluice.service");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertFalse(context.sc().shuffleDriverComponents().supportsReliableStorage());
      grouped(context).count();
      assertEquals(0, service.store().stats().outputs());
    }
  }

  /** A standalone master says so of a worker that it has lost; Spark forgets the host's outputs. */
  @Test
  void aLostWorkerMakesTheMapTasksOfItsHostRunAgain() {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      JavaPairRDD<Integer, Integer> grouped = grouped(context);
      assertEquals(100, grouped.count());
      assertEquals(100, grouped.count());
      assertEquals(3, service.store().stats().outputs());
      String host = SparkEnv.get().blockManager().blockManagerId().host();
      context.sc().dagScheduler().workerRemoved("worker-1", host, "lost");
      assertEquals(100, grouped.collectAsMap().size());
      assertEquals(6, service.store().stats().outputs());
    }
  }

  /** Spark's cleaner has one thread for all. */
  @Test
  void aShuffleIsRemovedWithoutWaitingForServicesUnlessThatIsAsked() throws Exception {
    SparkConf conf = conf().set("spark.sluice.io.timeout", "10min");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      grouped(context).count();
      CountDownLatch asked = new CountDownLatch(1);
      ServiceDriver driver = (ServiceDriver) context.sc().shuffleDriverComponents();
      driver.inTurn(() -> await(asked));
      driver.removeShuffle(0, false);
      assertEquals(3, service.store().stats().outputs());
      asked.countDown();
      CountDownLatch removed = new CountDownLatch(1);
      driver.inTurn(removed::countDown);
      assertTrue(removed.await(1, TimeUnit.MINUTES));
      assertEquals(0, service.store().stats().outputs());
    }
  }

  /** Spark SQL removes a query's shuffles as it ends, and may compute them again for the next. */
  @Test
  void aServiceThatIsToldLateKeepsWhatWasComputedAgain() throws Exception {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      JavaPairRDD<Integer, Integer> grouped = grouped(context);
      grouped.count();
      Set<String> former = Set.copyOf(outputs(context));
      CountDownLatch asked = new CountDownLatch(1);
      ServiceDriver driver = (ServiceDriver) context.sc().shuffleDriverComponents();
      driver.inTurn(() -> await(asked));
      driver.freeInServices(0, false);
      SparkEnv.get().blockManager().master().removeShuffle(0, true); // as Spark does afterwards
      assertEquals(100, grouped.count());
      Set<String> again = new TreeSet<>(outputs(context));
      assertTrue(again.removeAll(former));
      assertEquals(3, again.size());
      asked.countDown();
      CountDownLatch told = new CountDownLatch(1);
      driver.inTurn(told::countDown);
      assertTrue(told.await(2, TimeUnit.MINUTES));
      assertEquals(again, Set.copyOf(outputs(context)));
      assertEquals(100, grouped.count());
      assertEquals(again, Set.copyOf(outputs(context)), "no map task has run again");
    }
  }

  private List<String> outputs(JavaSparkContext context) {
    return service.store().outputs(context.sc().applicationId()).stream()
        .map(output -> output.id().outputId())
        .toList();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the context is stopping
    }
  }

  /** Local blocks that are gone make their map tasks run again. */
  @Test
  void aServiceThatHasLostAllCostsARetryAndNoRecord() throws IOException {
    SparkConf conf = conf().setMaster("local[2,4]");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      JavaPairRDD<Integer, Integer> grouped = grouped(context);
      assertEquals(100, grouped.count());
      service.applicationStopped(context.sc().applicationId());
      assertEquals(100, grouped.collectAsMap().size());
    }
  }

  @Test
  void anAttemptThatCommitsAfterItsShuffleWasFreedLeavesNothing() throws IOException {
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("service"))) {
      pool.connect();
      write(pool, pool.target().begin(4));
      assertEquals(1, service.store().stats().outputs());
      Attempt late = pool.target().begin(5);
      Attempt later = pool.target().begin(5);
      pool.target().free(5);
      write(pool, late);
      assertEquals(1, service.store().stats().outputs());
      write(pool, pool.target().begin(5));
      assertEquals(2, service.store().stats().outputs());
      write(pool, later, 18); // must not take the newer one with it
      assertEquals(List.of("shuffle_4_17", "shuffle_5_17"), outputs());
    }
    assertEquals(2, service.store().stats().outputs());
  }

  /** YARN starts the driver again, which makes another secret; names of outputs begin anew. */
  @Test
  void theSecondAttemptOfAnApplicationHasItsOwnOutputs() throws IOException {
    SparkConf first = conf().set("spark.app.id", "app-1").set("spark.app.attempt.id", "1");
    SparkConf second = first.clone().set("spark.app.attempt.id", "2");
    ApplicationSecret.create(first);
    ApplicationSecret.create(second);
    Path directory = base.resolve("service");
    try (ShuffleKey firstKey = ApplicationSecret.shuffleKey(first, null);
        ShuffleKey secondKey = ApplicationSecret.shuffleKey(second, null);
        ServiceConnection ofFirst = nodePool(first, ApplicationId.of(first), directory, firstKey);
        ServiceConnection ofSecond =
            nodePool(second, ApplicationId.of(second), directory, secondKey)) {
      ofFirst.connect();
      write(ofFirst, ofFirst.target().begin(4));
      ofSecond.connect();
      assertFalse(
          ofSecond.reads().block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0)).isPresent());
      write(ofSecond, ofSecond.target().begin(4));
      assertTrue(
          ofSecond.reads().block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0)).isPresent());
      assertEquals(Set.of("app-1", "app-1_2"), service.applications().notHeardOf(0));
      service.applicationStopped("app-1_2");
      assertTrue(
          ofFirst.reads().block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0)).isPresent());
    }
  }

  private List<String> outputs() {
    return service.store().outputs("app-1").stream()
        .map(output -> output.id().outputId())
        .sorted()
        .toList();
  }

  /** The key of the outputs of app-1; null if they are not encrypted. */
  ShuffleKey key() {
    return null;
  }

  /** An executor's, of the service in that directory. */
  private ServiceConnection nodePool(SparkConf conf, String applicationId, Path service) {
    return nodePool(conf, applicationId, service, key());
  }

  private static ServiceConnection nodePool(
      SparkConf conf, String applicationId, Path service, ShuffleKey key) {
    return new ServiceConnection(
        conf,
        new ExecutorTransports(conf),
        new ShuffleCounters(),
        key,
        applicationId,
        service.toString(),
        "127.0.0.1");
  }

  private static void write(ServiceConnection pool, Attempt attempt) throws IOException {
    write(pool, attempt, 17);
  }

  private static void write(ServiceConnection pool, Attempt attempt, long mapId)
      throws IOException {
    try (MapOutput output = pool.target().newOutput(attempt, mapId, 1)) {
      output.append(0, ByteBuffer.allocate(10), 1);
      output.commit();
    }
  }

  /** Blocks are as large as partitions of map tasks, and executors send several at once. */
  @Test
  void aBlockIsSentAWindowAtATime() throws IOException {
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    byte[] run = new byte[300_000];
    new Random(1).nextBytes(run);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("service"))) {
      pool.connect();
      try (MapOutput output = pool.target().newOutput(pool.target().begin(4), 17, 1)) {
        output.append(0, ByteBuffer.wrap(run), 1);
        output.append(0, ByteBuffer.wrap(run, 0, 1_000), 1);
        output.commit();
      }
      NodeBlock block =
          pool.reads().block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0)).orElseThrow();
      AbstractFileRegion region =
          assertInstanceOf(AbstractFileRegion.class, block.convertToNetty());
      ByteBuffer sent = ByteBuffer.allocate(302_000);
      WritableByteChannel channel = slowChannel(sent);
      while (region.transferred() < region.count()) {
        region.transferTo(channel, region.transferred());
      }
      region.release();
      assertEquals(block.nioByteBuffer(), sent.flip());
      assertEquals(301_000, region.count());
    }
  }

  /** As a socket that is nearly full. */
  private static WritableByteChannel slowChannel(ByteBuffer to) {
    return new WritableByteChannel() {
      @Override
      public int write(ByteBuffer from) {
        int n = Math.min(from.remaining(), 40_000);
        to.put(from.slice(from.position(), n));
        from.position(from.position() + n);
        return n;
      }

      @Override
      public boolean isOpen() {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  /** Its port is registered with the outputs. */
  @Test
  void aServiceThatComesBackHasWhatItHad() throws IOException {
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("service"))) {
      pool.connect();
      write(pool, pool.target().begin(4));
      service.close();
      assertThrows(IOException.class, pool::connect);
      service = service();
      pool.connect();
      assertEquals(
          10,
          pool.reads()
              .block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0))
              .orElseThrow()
              .nioByteBuffer()
              .remaining());
    }
  }

  /** Two partitions: one of a size that comes with the answer, one that is read in place. */
  private static void writeShortAndLong(ServiceConnection pool, long mapId) throws IOException {
    byte[] bytes = new byte[100_000];
    new Random(mapId).nextBytes(bytes);
    try (MapOutput output = pool.target().newOutput(pool.target().begin(4), mapId, 2)) {
      output.append(0, ByteBuffer.wrap(bytes, 0, 100), 1);
      output.append(1, ByteBuffer.wrap(bytes), 1);
      output.commit();
    }
  }

  @Test
  void blocksThatAreLocatedAheadAreThoseThatAreLocatedOneByOne() throws IOException {
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    List<Long> maps = List.of(17L, 18L, 19L, 20L);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("service"))) {
      pool.connect();
      for (long map : maps.subList(0, 3)) { // the last is not there
        writeShortAndLong(pool, map);
      }
      pool.reads().beginReads(1);
      pool.reads().expect(1, 4, maps, new PartitionRange(0, 2));
      assertEquals(1, pool.reads().tasksAhead());
      for (int time = 0; time < 2; time++) { // the second time, all has been taken
        for (long map : maps) {
          for (PartitionRange some : List.of(PartitionRange.one(1), PartitionRange.one(0))) {
            assertEquals(
                pool.reads().block(NodeReads.NO_TASK, 4, map, some).map(NodeTargetTest::bytes),
                pool.reads().block(1, 4, map, some).map(NodeTargetTest::bytes));
          }
        }
      }
      assertFalse(pool.reads().block(1, 4, 20, PartitionRange.one(0)).isPresent());
      assertEquals(0, pool.reads().tasksAhead());
    }
  }

  private static ByteBuffer bytes(NodeBlock block) {
    try {
      return block.nioByteBuffer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The reader that located them is closed when the service is found at another port. */
  @Test
  void whatWasLocatedAheadIsLocatedAnewWhenTheServiceComesBack() throws IOException {
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("service"))) {
      pool.connect();
      writeShortAndLong(pool, 17);
      writeShortAndLong(pool, 18);
      pool.reads().expect(1, 4, List.of(17L, 18L), new PartitionRange(0, 2));
      ByteBuffer before =
          bytes(pool.reads().block(NodeReads.NO_TASK, 4, 18, PartitionRange.one(1)).get());
      assertTrue(pool.reads().block(1, 4, 17, PartitionRange.one(1)).isPresent());
      service.close();
      service = service();
      assertEquals(1, pool.reads().tasksAhead());
      pool.connect();
      assertEquals(0, pool.reads().tasksAhead());
      assertEquals(
          before, bytes(pool.reads().block(1, 4, 18, PartitionRange.one(1)).orElseThrow()));
    }
  }

  /**
   * Nearly all of the output lies on the service's disk tier, which is read into registered
   * windows; Spark closes only streams that are read to their end.
   */
  @Test
  void tasksThatEndEarlyGiveTheirWindowsBack() throws IOException {
    service.close();
    service = smallService();
    SparkConf conf =
        conf().setMaster("local[1]").set("spark.sluice.io.timeout", "1min").set(WINDOWS, "1m");
    conf.set("spark.sluice.service", base.resolve("small").toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      JavaPairRDD<Integer, byte[]> shuffled =
          context
              .parallelize(IntStream.range(0, 64).boxed().toList(), 1)
              .mapToPair(i -> new Tuple2<>(i, noise(i, 100_000)))
              .partitionBy(new HashPartitioner(1));
      assertEquals(64, shuffled.count());
      for (int time = 0; time < 10; time++) { // there are four windows
        assertEquals(20, shuffled.take(20).size());
      }
      assertEquals(64, shuffled.count());
      assertTrue(service.store().stats().disk().usedBytes() > 0, "nothing is on the disk tier");
    }
  }

  @Test
  void whatATaskHasNotReadToItsEndIsClosedWithTheTask() throws IOException {
    service.close();
    service = smallService();
    SparkConf conf = conf().set(WINDOWS, "1m");
    ApplicationSecret.create(conf);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("small"))) {
      pool.connect();
      try (MapOutput output = pool.target().newOutput(pool.target().begin(4), 17, 2)) {
        for (int i = 0; i < 40; i++) {
          output.append(i % 2, ByteBuffer.wrap(noise(i, 100_000)), 1);
        }
        output.commit();
      }
      for (long task = 1; task < 10; task++) { // there are four windows
        pool.reads().beginReads(task);
        NodeBlock block = pool.reads().block(task, 4, 17, PartitionRange.one(1)).orElseThrow();
        InputStream whole = block.createInputStream();
        InputStream part = block.createInputStream();
        InputStream unread = block.createInputStream();
        assertEquals(2_000_000, whole.readAllBytes().length);
        assertEquals(150_000, part.readNBytes(150_000).length);
        assertEquals(2, pool.reads().openStreams());
        pool.reads().forget(task);
        assertEquals(0, pool.reads().openStreams());
        assertThrows(IOException.class, part::read);
        assertThrows(IOException.class, unread::read);
        assertThrows(IOException.class, block::createInputStream);
        assertEquals(-1, whole.read());
      }
      assertThrows(IOException.class, () -> pool.reads().block(9, 4, 17, PartitionRange.one(1)));
    }
  }

  /** Closing a reader complains of windows that are out. */
  @Test
  void streamsOfTheServiceThatWasThereBeforeAreClosed() throws IOException {
    service.close();
    service = smallService();
    SparkConf conf = conf();
    ApplicationSecret.create(conf);
    try (ServiceConnection pool = nodePool(conf, "app-1", base.resolve("small"))) {
      pool.connect();
      try (MapOutput output = pool.target().newOutput(pool.target().begin(4), 17, 1)) {
        for (int i = 0; i < 40; i++) {
          output.append(0, ByteBuffer.wrap(noise(i, 100_000)), 1);
        }
        output.commit();
      }
      pool.reads().beginReads(1);
      NodeBlock block = pool.reads().block(1, 4, 17, PartitionRange.one(0)).orElseThrow();
      InputStream part = block.createInputStream();
      part.readNBytes(1_500_000);
      InputStream ofPeer =
          pool.reads()
              .block(NodeReads.NO_TASK, 4, 17, PartitionRange.one(0))
              .orElseThrow()
              .createInputStream();
      ofPeer.readNBytes(1_500_000);
      service.close();
      service = smallService();
      pool.connect();
      assertThrows(IOException.class, part::read);
      assertThrows(IOException.class, ofPeer::read);
      assertEquals(4_000_000, block.createInputStream().readAllBytes().length);
      block.createInputStream().readNBytes(1_500_000); // and what is open then
    }
  }

  private static byte[] noise(int seed, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Another user who makes the directory first would otherwise get the application's secret. */
  @Test
  void aServicesDirectoryOfAnotherUserIsNotBelieved() throws IOException {
    Path directory = base.resolve("service");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertOwnPoolIsUsed();
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Assumptions.assumeTrue(TrustedPath.userId() == 0, "only root can give a directory away");
    Files.setAttribute(directory, "unix:uid", 12345);
    assertOwnPoolIsUsed();
  }

  private void assertOwnPoolIsUsed() {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      assertEquals(100, grouped(context).count());
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      assertEquals(
          Set.of("a node's service that cannot be reached"),
          manager.counters().fallbacks().keySet());
      assertEquals(3, manager.poolStats().orElseThrow().outputs());
      assertEquals(0, service.store().stats().outputs());
    }
  }
}
