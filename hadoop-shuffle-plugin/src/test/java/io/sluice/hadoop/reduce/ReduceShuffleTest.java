package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.collect.TestCollectors;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.testing.LeaseCountingComparator;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.ReduceSide;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.node.client.FetchFailedException;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.segment.Range;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole reduce side over a real node service and a stock handler; the oracle is a sort. */
@Timeout(300)
final class ReduceShuffleTest {
  private static final int REDUCE = 1;

  /** From report to report; an answer to one is known before the next. */
  private static final int PENALTY_MS = 4_000;

  @TempDir static Path nodeDirectory;
  private static TestNode node;

  @TempDir Path taskDirectory;
  private final Random random = TestSeed.random();
  private final JobConf job = TestJob.conf();
  private final Map<TaskAttemptID, List<Pair>> expected = new HashMap<>();
  private CompressionCodec codec;
  private ReduceSide reduce;
  private StockHandler stock;
  private long allocatedBytes;

  @BeforeAll
  static void startNode() throws IOException {
    node = TestNode.start(nodeDirectory, 32 << 20);
  }

  @AfterAll
  static void stopNode() throws IOException {
    node.close();
  }

  @BeforeEach
  void configure() {
    allocatedBytes = OffHeap.allocatedBytes();
    job.set(MRConfig.LOCAL_DIR, taskDirectory.toString());
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setNumReduceTasks(3);
    job.set(JobSettings.TRANSPORT.name(), "tcp");
  }

  @AfterEach
  void nothingLeaks() throws IOException {
    if (stock != null) {
      stock.close();
    }
    node.service().applicationStopped(TestJob.APPLICATION);
    // The node's side of a connection ends when it has seen that ours has.
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (OffHeap.allocatedBytes() != allocatedBytes && System.nanoTime() - deadlineNs < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
    try (Stream<Path> files = Files.walk(taskDirectory)) {
      assertEquals(
          List.of(), files.filter(Files::isRegularFile).toList(), "staged files are deleted");
    }
  }

  private void compress() {
    compress(DefaultCodec.class);
  }

  private void compress(Class<? extends CompressionCodec> type) {
    job.setCompressMapOutput(true);
    job.setMapOutputCompressorClass(type);
    codec = ReflectionUtils.newInstance(type, job);
  }

  private List<Emitted> words(int count) {
    List<Emitted> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[random.nextInt(200)];
      words.add(
          new Emitted(
              new Text("word " + random.nextInt(5000)), new Text(value), random.nextInt(3)));
    }
    return words;
  }

  private static Pair serialized(Emitted record) {
    return new Pair(serialized(record.key()), serialized(record.value()));
  }

  private static byte[] serialized(Writable writable) {
    try {
      DataOutputBuffer out = new DataOutputBuffer();
      writable.write(out);
      return java.util.Arrays.copyOf(out.getData(), out.getLength());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void expect(TaskAttemptID map, List<Emitted> words) {
    expected.put(
        map,
        words.stream()
            .filter(word -> word.partition() == REDUCE)
            .map(ReduceShuffleTest::serialized)
            .toList());
  }

  /** Runs a map through Sluice. */
  private void mapOnNode(TaskAttemptID map, int records) throws Exception {
    mapOn(node, map, records);
  }

  private void mapOn(TestNode on, TaskAttemptID map, int records) throws Exception {
    List<Emitted> words = words(records);
    expect(map, words);
    JobConf mapJob = new JobConf(job);
    mapJob.set(MRConfig.LOCAL_DIR, nodeDirectory.resolve(map.toString()).toString());
    new MapSide(mapJob, map).run(TestCollectors.in(on.environment()), words);
  }

  private String nodeHost() {
    return hostOf(node);
  }

  private String hostOf(TestNode on) {
    // Reducers add the port offset to what the ApplicationMaster says.
    int offset = NodeSettings.PORT_OFFSET.get(job::getTrimmed);
    return "127.0.0.1:" + (on.service().metadata().address().controlPort() - offset);
  }

  private void shuffle(int maps) {
    job.setNumMapTasks(maps);
    reduce = new ReduceSide(job, TestJob.reduce(REDUCE, 0));
  }

  private void succeeded(TaskAttemptID map) {
    reduce.events.add(Events.succeeded(map, nodeHost()));
  }

  private void shuffleOnNode(int maps, int records) throws Exception {
    shuffle(maps);
    for (int i = 0; i < maps; i++) {
      mapOnNode(TestJob.map(i, 0), records);
      succeeded(TestJob.map(i, 0));
    }
  }

  private List<Pair> run(Map<String, String> environment) throws Exception {
    ReduceShuffle shuffle = new ReduceShuffle(reduce.context(codec), environment);
    try {
      List<Pair> records = ReduceSide.drain(shuffle.run());
      shuffle.close();
      return records;
    } catch (IOException e) {
      shuffle.close();
      throw e;
    }
  }

  private void assertDeliversAll(Map<String, String> environment) throws Exception {
    List<Pair> actual = run(environment);
    for (int i = 1; i < actual.size(); i++) {
      byte[] a = actual.get(i - 1).key();
      byte[] b = actual.get(i).key();
      assertTrue(
          job.getOutputKeyComparator().compare(a, 0, a.length, b, 0, b.length) <= 0,
          "record " + i + " is in order");
    }
    List<Pair> all = new ArrayList<>();
    expected.values().forEach(all::addAll);
    Collections.sort(all);
    Collections.sort(actual);
    assertEquals(all, actual);
    assertEquals(job.getNumMapTasks(), reduce.counter(TaskCounter.SHUFFLED_MAPS).getValue());
    assertEquals(job.getNumMapTasks(), reduce.counter(TaskCounter.MERGED_MAP_OUTPUTS).getValue());
  }

  private long counter(SluiceCounter counter) {
    return counter.of(reduce.reporter()).getValue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void outputsOfThisNodeAreMappedInPlace(boolean compressed) throws Exception {
    if (compressed) {
      compress();
    }
    shuffleOnNode(5, 2000);
    assertDeliversAll(node.environment());
    assertEquals(
        reduce.counter(TaskCounter.REDUCE_SHUFFLE_BYTES).getValue(),
        counter(SluiceCounter.READ_BYTES_LOCAL));
    assertEquals(0, counter(SluiceCounter.STAGED_BYTES_MEMORY));
    assertEquals(0, counter(SluiceCounter.READ_BYTES_TCP));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void outputsOfAnotherNodeAreReadOverTheTransport(boolean compressed) throws Exception {
    if (compressed) {
      compress();
    }
    shuffleOnNode(5, 2000);
    assertDeliversAll(Map.of());
    assertEquals(
        reduce.counter(TaskCounter.REDUCE_SHUFFLE_BYTES).getValue(),
        counter(SluiceCounter.READ_BYTES_TCP));
    assertEquals(0, counter(SluiceCounter.STAGED_BYTES_DISK));
  }

  /** Pages that it maps, and its codec, have their parts of that, too. */
  @ParameterizedTest
  @CsvSource({"false, 24", "true, 20"})
  void windowsFitTheContainer(boolean compressed, int windowsMb) throws Exception {
    if (compressed) {
      compress();
    }
    job.setInt(MRJobConfig.REDUCE_MEMORY_MB, 1); // so that the room is the least, 32 MiB
    shuffleOnNode(5, 2000);
    Map<String, String> container = new HashMap<>(node.environment());
    container.put("CONTAINER_ID", "container_1700000000000_0007_01_000002");
    try (LogLines log = new LogLines()) {
      assertDeliversAll(container);
      assertEquals(
          1, log.with("Windows have %s MiB at most instead of the 64".formatted(windowsMb)).size());
    }
  }

  /** As where a file of the node has a final value, or an input format has set it for itself. */
  @ParameterizedTest
  @CsvSource({"2, true", "32, true", "32, false", "1000, true"}) // streams, long and short chunks
  void mapsMaySeeAnotherNumberOfMaps(int byMaps, boolean local) throws Exception {
    compress(SnappyCodec.class);
    int maps = 70;
    shuffle(maps);
    job.setNumMapTasks(byMaps);
    for (int i = 0; i < maps; i++) {
      mapOnNode(TestJob.map(i, 0), i == 0 ? 6000 : 10); // one of long chunks
      succeeded(TestJob.map(i, 0));
    }
    job.setNumMapTasks(maps);
    assertDeliversAll(local ? node.environment() : Map.of());
  }

  @Test
  void mapsWithoutRecordsForThisReduce() throws Exception {
    shuffleOnNode(3, 0);
    assertDeliversAll(node.environment());
  }

  @ParameterizedTest
  @CsvSource({"true, false", "true, true", "false, false", "false, true"})
  void moreRunsThanWindowsAreMergedInRounds(boolean pool, boolean compressed) throws Exception {
    if (compressed) {
      compress();
    }
    job.setInt(JobSettings.REDUCE_BUFFER_MB.name(), 1); // 16 windows
    shuffleOnNode(50, 100);
    assertDeliversAll(pool ? node.environment() : Map.of());
    assertTrue(counter(SluiceCounter.MERGE_ROUNDS) > 1, "rounds");
    assertEquals(pool, counter(SluiceCounter.STAGED_BYTES_MEMORY) > 0);
    assertEquals(!pool, counter(SluiceCounter.STAGED_BYTES_DISK) > 0);
  }

  /** A codec with 72 MiB of buffers leaves room for two runs, both of one decompressor. */
  @Test
  void moreRunsThanMemoryHoldsBesideTheCodecAreMergedInRounds() throws Exception {
    job.setInt(CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY, 24 << 20);
    job.setOutputKeyComparatorClass(LeaseCountingComparator.class);
    compress(SnappyCodec.class);
    LeaseCountingComparator.watch(codec);
    shuffleOnNode(6, 100);
    assertDeliversAll(node.environment());
    assertEquals(1, LeaseCountingComparator.most());
    assertEquals(4, counter(SluiceCounter.MERGE_ROUNDS));
    assertEquals(0, CodecPool.getLeasedDecompressorsCount(codec));
  }

  private byte[] stored(List<Pair> pairs) throws IOException {
    List<Pair> sorted = new ArrayList<>(pairs);
    sorted.sort(
        (a, b) ->
            job.getOutputKeyComparator()
                .compare(a.key(), 0, a.key().length, b.key(), 0, b.key().length));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    OutputStream out = codec == null ? bytes : codec.createOutputStream(bytes);
    RunEncoder encoder = new RunEncoder(out::write);
    for (Pair pair : sorted) {
      encoder.append(pair.key(), 0, pair.key().length, pair.value(), 0, pair.value().length);
    }
    encoder.finish();
    out.close();
    return bytes.toByteArray();
  }

  /** Maps of a node that has never heard of Sluice. */
  private void mapsOnStock(int first, int count) throws Exception {
    mapsOnStock(first, count, 1000);
  }

  private void mapsOnStock(int first, int count, int records) throws Exception {
    Map<String, byte[]> bodies = new HashMap<>();
    for (int i = first; i < first + count; i++) {
      TaskAttemptID map = TestJob.map(i, 0);
      expect(map, words(records));
      bodies.put(map.toString(), StockHandler.output(map, REDUCE, stored(expected.get(map))));
    }
    stock =
        new StockHandler(
            exchange -> {
              ByteArrayOutputStream body = new ByteArrayOutputStream();
              for (String map : mapOf(exchange).split(",")) {
                body.write(bodies.get(map));
              }
              StockHandler.reply(exchange, body.toByteArray(), body.size());
            });
    for (int i = first; i < first + count; i++) {
      reduce.events.add(
          Events.succeeded(TestJob.map(i, 0), stock.url().substring("http://".length())));
    }
  }

  @ParameterizedTest
  @CsvSource({"true, false", "true, true", "false, false", "false, true"})
  void mixedClusterIsReadBothWays(boolean pool, boolean compressed) throws Exception {
    if (compressed) {
      compress();
    }
    shuffle(6);
    for (int i = 0; i < 3; i++) {
      mapOnNode(TestJob.map(i, 0), 1000);
      succeeded(TestJob.map(i, 0));
    }
    mapsOnStock(3, 3);
    assertDeliversAll(pool ? node.environment() : Map.of());
    assertEquals(3, counter(SluiceCounter.FALLBACK_FETCH_TO_HTTP));
    assertEquals(pool, counter(SluiceCounter.STAGED_BYTES_MEMORY) > 0);
    assertEquals(!pool, counter(SluiceCounter.STAGED_BYTES_DISK) > 0);
  }

  /** What it staged there is given back with the end of its process, and not waited for. */
  @Test
  void aReduceThatHasSucceededEndsWithoutItsNode() throws Exception {
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 3_600_000);
    job.setLong(MRJobConfig.TASK_TIMEOUT, 0);
    TestNode own = TestNode.start(Files.createTempDirectory(nodeDirectory, "own"), 32 << 20);
    shuffle(3);
    mapsOnStock(0, 3);
    ReduceShuffle shuffle = new ReduceShuffle(reduce.context(codec), own.environment());
    assertTrue(shuffle.run().next(), "more it did not want");
    own.close();
    try (LogLines log = new LogLines()) {
      shuffle.closeFinished();
      assertEquals(1, log.with("did not close cleanly after its reduce had ended").size());
    }
    assertTrue(counter(SluiceCounter.STAGED_BYTES_MEMORY) > 0, "it had something to give back");
  }

  /** Windows, buffers and files are those of the threads that fetch, and of the merge. */
  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "false, true"})
  void manySmallOutputsFromStockNeedFewFiles(boolean pool, boolean compressed) throws Exception {
    if (compressed) {
      compress();
    }
    job.setInt(JobSettings.REDUCE_BUFFER_MB.name(), 4); // 64 windows
    shuffle(1200);
    mapsOnStock(0, 1200, 12);
    mapOnNode(TestJob.map(0, 1), 0); // so that the service knows the application
    Set<String> before = descriptorsOfFiles();
    ReduceShuffle shuffle =
        new ReduceShuffle(reduce.context(codec), pool ? node.environment() : Map.of());
    try {
      RawKeyValueIterator records = shuffle.run();
      assertTrue(records.next(), "records");
      Set<String> during = descriptorsOfFiles();
      during.removeAll(before);
      assertTrue(during.size() < 40, during.size() + " files: " + during);
      long files;
      try (Stream<Path> staged = Files.walk(taskDirectory)) {
        files = staged.filter(Files::isRegularFile).count();
      }
      assertTrue(files < 40, files + " staged files");
      int count = 1;
      while (records.next()) {
        count++;
      }
      assertEquals(expected.values().stream().mapToInt(List::size).sum(), count);
    } finally {
      shuffle.close();
    }
    assertEquals(1200, counter(SluiceCounter.FALLBACK_FETCH_TO_HTTP));
    assertTrue(counter(SluiceCounter.MERGE_ROUNDS) > 1, "rounds");
  }

  private static Set<String> descriptorsOfFiles() throws IOException {
    Set<String> files = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          files.add(descriptor.getFileName() + " " + Files.readSymbolicLink(descriptor));
        } catch (NoSuchFileException e) {
          continue; // that of the listing itself
        }
      }
    }
    files.removeIf(file -> file.contains("socket:"));
    return files;
  }

  @Test
  void busyStockHandlerIsAskedAgain() throws Exception {
    shuffle(1);
    TaskAttemptID map = TestJob.map(0, 0);
    expect(map, words(100));
    byte[] body = StockHandler.output(map, REDUCE, stored(expected.get(map)));
    stock =
        new StockHandler(
            exchange -> {
              if (stock.requests.size() < 3) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                exchange.sendResponseHeaders(429, -1);
              } else {
                StockHandler.reply(exchange, body, body.length);
              }
            });
    reduce.events.add(Events.succeeded(map, stock.url().substring("http://".length())));
    assertDeliversAll(Map.of());
    assertEquals(0, reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue());
    assertEquals(List.of(), reduce.reported);
  }

  @Test
  void anOutputThatCannotBeHadIsNoFailureIfItsSuccessorComes() throws Exception {
    shuffle(2);
    mapOnNode(TestJob.map(0, 0), 500);
    succeeded(TestJob.map(0, 0));
    TaskAttemptID lost = TestJob.map(1, 0);
    TaskAttemptID successor = TestJob.map(1, 1);
    mapOnNode(successor, 500);
    stock =
        new StockHandler(
            exchange -> {
              // The ApplicationMaster runs the map again when it hears of the failure.
              reduce.events.add(Events.ended(lost, Status.FAILED));
              succeeded(successor);
              exchange.sendResponseHeaders(401, -1);
            });
    reduce.events.add(Events.succeeded(lost, stock.url().substring("http://".length())));
    assertDeliversAll(node.environment());
    assertEquals(0, reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue());
    assertEquals(List.of(), reduce.reported);
  }

  @Test
  void cutStreamFailsTheFetchAndLosesNothing() throws Exception {
    shuffle(1);
    TaskAttemptID map = TestJob.map(0, 0);
    expect(map, words(1000));
    byte[] body = StockHandler.output(map, REDUCE, stored(expected.get(map)));
    stock = new StockHandler(exchange -> StockHandler.reply(exchange, body, body.length / 2));
    reduce.events.add(Events.succeeded(map, stock.url().substring("http://".length())));
    IOException e = assertThrows(IOException.class, () -> run(Map.of()));
    assertTrue(e.getMessage().contains("MAX_FAILED_UNIQUE_FETCHES"), e.getMessage());
    assertEquals(List.of(map), reduce.reported);
  }

  /** Flips a bit of the first byte of a map's run: its parser fails before its checksum does. */
  private void damage(TaskAttemptID map) throws IOException {
    var description =
        node.service()
            .readers()
            .describe(TestJob.APPLICATION, PartitionRange.one(REDUCE), List.of(map.toString()), 0);
    LocatedRun located = description.runs().get(map.toString()).get(0);
    Range range = located.location().ranges().get(0);
    Path segment = description.segments().get(range.segmentId()).segment().path();
    try (FileChannel file =
        FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, range.offsetBytes());
      one.put(0, (byte) (one.get(0) ^ 0xff)).flip();
      file.write(one, range.offsetBytes());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, 4",
    "true, true, 4",
    "false, false, 4",
    "false, true, 4",
    "true, false, 50",
    "false, true, 50"
  })
  void damagedOutputIsNamedAndReported(boolean pool, boolean compressed, int maps)
      throws Exception {
    if (compressed) {
      compress();
    }
    job.setInt(JobSettings.REDUCE_BUFFER_MB.name(), 1); // with 50 maps it fails in a round
    shuffleOnNode(maps, 300);
    TaskAttemptID damaged = TestJob.map(random.nextInt(maps), 0);
    damage(damaged);
    FetchFailedException e =
        assertThrows(FetchFailedException.class, () -> run(pool ? node.environment() : Map.of()));
    assertEquals(damaged.toString(), e.outputId());
    assertEquals(List.of(damaged), reduce.reported);
    assertEquals(1, reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue());
  }

  /** So that a job of one reduce ends: the ApplicationMaster believes no single report. */
  @Test
  void theNextAttemptReportsAgainWhatItsNodeHasFoundDamaged() throws Exception {
    job.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, PENALTY_MS);
    String host =
        stockBeside(
            node,
            exchange -> StockHandler.refuse(exchange, 500, StockHandler.noOutput(mapOf(exchange))));
    shuffle(2);
    for (TaskAttemptID map : firstAttempts(2)) {
      mapOnNode(map, 300);
      reduce.events.add(Events.succeeded(map, host));
    }
    TaskAttemptID damaged = TestJob.map(random.nextInt(2), 0);
    damage(damaged);
    assertThrows(FetchFailedException.class, () -> run(Map.of()));
    assertEquals(List.of(damaged), reduce.reported);
    shuffle(2);
    firstAttempts(2).forEach(map -> reduce.events.add(Events.succeeded(map, host)));
    expected.remove(damaged);
    Path directory = Files.createTempDirectory(nodeDirectory, "other");
    try (TestNode other = TestNode.start(directory, 32 << 20)) {
      Thread master = runsAgainWhatIsReported(1, 2, other);
      master.start();
      assertDeliversAll(Map.of());
      master.join();
    }
    assertEquals(Set.of(damaged), Set.copyOf(reduce.reported));
  }

  private static void forgetEverything(TestNode node) throws IOException {
    node.service().applicationStopped(TestJob.APPLICATION);
  }

  private static List<TaskAttemptID> sorted(List<TaskAttemptID> maps) {
    return maps.stream().sorted().toList();
  }

  private static List<TaskAttemptID> firstAttempts(int maps) {
    return IntStream.range(0, maps).mapToObj(map -> TestJob.map(map, 0)).toList();
  }

  /**
   * As an ApplicationMaster that believes the first report of each of these maps, and runs it
   * again.
   */
  private Thread runsAgainWhatIsReported(int maps, TestNode at) {
    return runsAgainWhatIsReported(maps, 1, at);
  }

  /**
   * As one that believes so many reports, says at once that it does, and runs one map at a time.
   */
  private Thread runsAgainWhatIsReported(int maps, int reports, TestNode at) {
    return new Thread(
        () -> {
          Set<TaskAttemptID> done = new HashSet<>();
          ExecutorService cluster = Executors.newSingleThreadExecutor();
          while (done.size() < maps && !Thread.interrupted()) {
            List<TaskAttemptID> reported = List.copyOf(reduce.reported);
            for (TaskAttemptID map : reported) {
              if (Collections.frequency(reported, map) >= reports && done.add(map)) {
                reduce.events.add(Events.ended(map, Status.FAILED));
                cluster.execute(() -> runAgain(map, at));
              }
            }
            LockSupport.parkNanos(1_000_000);
          }
          cluster.shutdown();
          try {
            assertTrue(cluster.awaitTermination(2, TimeUnit.MINUTES));
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void runAgain(TaskAttemptID map, TestNode at) {
    try {
      TaskAttemptID next = TestJob.map(map.getTaskID().getId(), 1);
      mapOn(at, next, 50);
      reduce.events.add(Events.succeeded(next, hostOf(at)));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A node of this test alone, whose maps the reduce will find. */
  private TestNode nodeWithMaps(int maps, int records) throws Exception {
    Path directory = Files.createTempDirectory(nodeDirectory, "node");
    TestNode own = TestNode.startToBeRestarted(directory, 32 << 20);
    job.setInt(JobSettings.REDUCE_BUFFER_MB.name(), 1); // most of it is still to be read
    shuffle(maps);
    for (int i = 0; i < maps; i++) {
      mapOn(own, TestJob.map(i, 0), records);
      reduce.events.add(Events.succeeded(TestJob.map(i, 0), hostOf(own)));
    }
    return own;
  }

  @Test
  void anOutputThatIsLostWhileItIsMergedIsReportedOnce() throws Exception {
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 3_000); // in the end nobody answers
    TestNode lost = nodeWithMaps(5, 20_000);
    ReduceShuffle shuffle = new ReduceShuffle(reduce.context(codec), Map.of());
    RawKeyValueIterator records = shuffle.run();
    assertTrue(records.next());
    Path directory = Files.createTempDirectory(nodeDirectory, "empty");
    try (TestNode empty = lost.restartedEmpty(directory, 32 << 20)) {
      assertThrows(FetchFailedException.class, () -> ReduceSide.drain(records));
      assertEquals(0, empty.stats().memory().usedBytes());
    }
    assertEquals(1, reduce.reported.size(), "the next attempt finds what else is lost");
    assertThrows(IOException.class, records::next);
    assertEquals(1, reduce.reported.size());
    shuffle.close();
  }

  @Test
  void aTransportThatThisHostLacksIsReplaced() throws Exception {
    job.set(JobSettings.TRANSPORT.name(), "disni"); // whose jar is not there
    shuffleOnNode(3, 100);
    assertDeliversAll(Map.of());
    assertEquals(1, counter(SluiceCounter.FALLBACK_TRANSPORT));
    job.set(JobSettings.FALLBACK_POLICY.name(), "never");
    IOException e = assertThrows(IOException.class, () -> run(Map.of()));
    assertTrue(e.getMessage().contains("disni"), e.getMessage());
  }

  /** Silence is no loss: the service may be back for the next attempt. */
  @Test
  void outputOfANodeThatIsSilentIsReportedOnce() throws Exception {
    job.setInt(JobSettings.IO_TIMEOUT_MS.name(), 3_000);
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 3_000);
    TestNode silent = nodeWithMaps(5, 20_000);
    ReduceShuffle shuffle = new ReduceShuffle(reduce.context(codec), Map.of());
    RawKeyValueIterator records = shuffle.run();
    assertTrue(records.next());
    silent.close();
    assertThrows(FetchFailedException.class, () -> ReduceSide.drain(records));
    assertEquals(1, reduce.reported.size(), reduce.reported.toString());
    shuffle.close();
  }

  /** A stock handler of the same node: reducers find the service by the difference of the ports. */
  private String stockBeside(TestNode node, StockHandler.Script script) throws IOException {
    int controlPort = node.service().metadata().address().controlPort();
    for (int offset = 1; stock == null; offset++) {
      try {
        stock = new StockHandler(script, controlPort - offset);
        job.setInt(NodeSettings.PORT_OFFSET.name(), offset);
      } catch (BindException e) {
        assertTrue(offset < 100, "no port is free");
      }
    }
    return hostOf(node);
  }

  private static String mapOf(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query.substring(query.indexOf("map=") + 4);
  }

  /**
   * Maps ran on a node that was restarted with nothing; a fresh attempt of the reduce finds them
   * there. The ApplicationMaster runs again what it is told of, on another node.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void freshAttemptReportsEveryOutputOfANodeThatHoldsNothing(boolean applicationIsKnown)
      throws Exception {
    int maps = 30;
    if (applicationIsKnown) {
      // By a map that ran again there.
      mapOnNode(TestJob.map(99, 0), 10);
      expected.clear();
    }
    String lostHost =
        stockBeside(
            node,
            exchange -> {
              if (applicationIsKnown) {
                StockHandler.refuse(exchange, 500, StockHandler.noOutput(mapOf(exchange)));
              } else {
                StockHandler.refuse(exchange, 401, "Could not find jobid");
              }
            });
    Path directory = Files.createTempDirectory(nodeDirectory, "other");
    try (TestNode other = TestNode.start(directory, 32 << 20)) {
      shuffle(maps);
      for (int i = 0; i < maps; i++) {
        reduce.events.add(Events.succeeded(TestJob.map(i, 0), lostHost));
      }
      Thread master = runsAgainWhatIsReported(maps, other);
      master.start();
      assertDeliversAll(Map.of());
      master.join();
    }
    assertEquals(firstAttempts(maps), sorted(reduce.reported));
    assertEquals(maps, reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue());
  }

  /**
   * Both of a node's servers must say so; else it is stock's policy, which fails this attempt, once
   * a service that does not answer has been waited for.
   */
  @ParameterizedTest
  @CsvSource({
    "false, 401, Could not find jobid",
    "false, 500, Could not find x in any of the directories",
    "true, 401, fetcher cannot be authenticated",
    "true, 500, Too many open files",
    "true, 400, Required param job"
  })
  void nothingElseIsTakenForALoss(boolean serviceAnswers, int status, String reason)
      throws Exception {
    String host = stockBeside(node, exchange -> StockHandler.refuse(exchange, status, reason));
    if (!serviceAnswers) {
      nobodyIsAtTheServicesPort();
    }
    shuffle(1);
    reduce.events.add(Events.succeeded(TestJob.map(0, 0), host));
    IOException e = assertThrows(IOException.class, () -> run(Map.of()));
    assertTrue(e.getMessage().contains("MAX_FAILED_UNIQUE_FETCHES"), e.getMessage());
    assertEquals(serviceAnswers ? List.of() : List.of(TestJob.map(0, 0)), reduce.reported);
  }

  /** Reports are as far apart as penalties, so that one output is not reported 30 times alone. */
  private void nobodyIsAtTheServicesPort() {
    job.setInt(NodeSettings.PORT_OFFSET.name(), 10_000);
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 100);
    job.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 200);
  }

  /**
   * The ApplicationMaster believes the third report of each output, which nobody but this reduce
   * makes; the map's next output lies where it can be read.
   */
  @Test
  void theOnlyReduceOfAJobOutlivesANodeThatItCannotRead() throws Exception {
    int maps = 8;
    String host =
        stockBeside(
            node,
            exchange -> StockHandler.refuse(exchange, 500, StockHandler.noOutput(mapOf(exchange))));
    nobodyIsAtTheServicesPort();
    job.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, PENALTY_MS);
    Path directory = Files.createTempDirectory(nodeDirectory, "other");
    try (TestNode other = TestNode.start(directory, 32 << 20)) {
      shuffle(maps);
      reduce = new ReduceSide(job, TestJob.reduce(REDUCE, 1));
      for (int i = 0; i < maps; i++) {
        reduce.events.add(Events.succeeded(TestJob.map(i, 0), host));
      }
      Thread master = runsAgainWhatIsReported(maps, 3, other);
      master.start();
      assertDeliversAll(Map.of());
      master.join();
    }
  }

  /** tcp whose port nobody reaches, as behind a firewall. */
  private static final class Unreached extends WrappedTcp {
    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      ServerEndpoint below = super.listen(bindAddress, admission);
      return new ServerEndpoint() {
        @Override
        public InetSocketAddress address() {
          return new InetSocketAddress(below.address().getAddress(), 1);
        }

        @Override
        public RegionDescriptor register(MemoryRegion region) throws TransportException {
          return below.register(region);
        }

        @Override
        public void deregister(RegionDescriptor descriptor) {
          below.deregister(descriptor);
        }

        @Override
        public TransportCounters counters() {
          return below.counters();
        }

        @Override
        public void close() {
          below.close();
        }
      };
    }
  }

  /** The first attempt finds that out in its merge, for one output; the second one for all. */
  @Test
  void aReduceOutlivesANodeThatTellsWhereItsBytesAreAndSendsNone() throws Exception {
    int maps = 8;
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 100);
    job.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, PENALTY_MS);
    Path directory = Files.createTempDirectory(nodeDirectory, "unreached");
    try (TestNode unreached = TestNode.start(directory, 32 << 20, new Unreached())) {
      String host =
          stockBeside(
              unreached,
              exchange ->
                  StockHandler.refuse(exchange, 500, StockHandler.noOutput(mapOf(exchange))));
      shuffle(maps);
      for (TaskAttemptID map : firstAttempts(maps)) {
        mapOn(unreached, map, 100);
        reduce.events.add(Events.succeeded(map, host));
      }
      List<TaskCompletionEvent> events = reduce.events;
      assertThrows(FetchFailedException.class, () -> run(Map.of()));
      assertEquals(1, reduce.reported.size());
      reduce = new ReduceSide(job, TestJob.reduce(REDUCE, 1));
      reduce.events.addAll(events);
      expected.clear();
      Thread master = runsAgainWhatIsReported(maps, 3, node);
      master.start();
      assertDeliversAll(Map.of());
      master.join();
    }
  }

  /** A service that does not believe this reduce may hold the output all the same. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReduceThatItsServiceRefusesBlamesNoMap(boolean stockHasTheOutput) throws Exception {
    job.setInt(JobSettings.RESTART_TIMEOUT_MS.name(), 100);
    TaskAttemptID map = TestJob.map(0, 0);
    JobConf mapJob = new JobConf(job);
    mapJob.set(MRConfig.LOCAL_DIR, nodeDirectory.resolve("refused").toString());
    MapSide ofAnotherSecret = new MapSide(mapJob, TestJob.map(9, 0));
    ofAnotherSecret.setShuffleSecret(
        new SecretKeySpec("another secret of 1 job".getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
    ofAnotherSecret.run(TestCollectors.in(node.environment()), words(10));
    shuffle(1);
    expect(map, words(100));
    byte[] body = StockHandler.output(map, REDUCE, stored(expected.get(map)));
    String host =
        stockBeside(
            node,
            exchange -> {
              if (stockHasTheOutput) {
                StockHandler.reply(exchange, body, body.length);
              } else {
                StockHandler.refuse(exchange, 500, StockHandler.noOutput(mapOf(exchange)));
              }
            });
    reduce.events.add(Events.succeeded(map, host));
    if (stockHasTheOutput) {
      assertDeliversAll(Map.of());
    } else {
      IOException e = assertThrows(IOException.class, () -> run(Map.of()));
      assertTrue(e.getMessage().contains("for which no map is at fault"), e.getMessage());
      assertTrue(e.getMessage().contains("does not hold the secret"), e.getMessage());
    }
    assertEquals(List.of(), reduce.reported);
  }

  /** Where the job rules stock out: the map is run again, or the fetch fails. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void stockIsNeverAsked(boolean serviceAnswers) throws Exception {
    job.set(JobSettings.FALLBACK_POLICY.name(), "never");
    String host = stockBeside(node, exchange -> StockHandler.refuse(exchange, 500, "not asked"));
    if (!serviceAnswers) {
      nobodyIsAtTheServicesPort();
    }
    shuffle(2);
    mapOnNode(TestJob.map(0, 0), 100);
    TaskAttemptID absent = TestJob.map(1, 0);
    reduce.events.add(Events.succeeded(TestJob.map(0, 0), host));
    reduce.events.add(Events.succeeded(absent, host));
    if (serviceAnswers) {
      Thread master = runsAgainWhatIsReported(1, node);
      master.start();
      assertDeliversAll(Map.of());
      master.join();
      assertEquals(List.of(absent), reduce.reported);
    } else {
      IOException e = assertThrows(IOException.class, () -> run(Map.of()));
      assertTrue(e.getMessage().contains("MAX_FAILED_UNIQUE_FETCHES"), e.getMessage());
      assertEquals(Set.of(TestJob.map(0, 0), absent), Set.copyOf(reduce.reported));
    }
    assertEquals(List.of(), stock.requests);
    assertEquals(0, counter(SluiceCounter.FALLBACK_FETCH_TO_HTTP));
  }

  /** What it delivered before is lost as well, and is found so before the merge. */
  @Test
  void outputsLocatedBeforeTheLossAreReportedToo() throws Exception {
    TaskAttemptID last = TestJob.map(5, 0);
    String host =
        stockBeside(node, exchange -> StockHandler.refuse(exchange, 401, "Could not find jobid"));
    shuffle(6);
    for (int i = 0; i < 5; i++) {
      mapOnNode(TestJob.map(i, 0), 100);
      reduce.events.add(Events.succeeded(TestJob.map(i, 0), host));
    }
    Thread master =
        new Thread(
            () -> {
              while (reduce.progress() < 5f / 6 && !Thread.interrupted()) {
                LockSupport.parkNanos(1_000_000);
              }
              try {
                expected.clear();
                forgetEverything(node);
                reduce.events.add(Events.succeeded(last, host));
                while (reduce.reported.size() < 6 && !Thread.interrupted()) {
                  LockSupport.parkNanos(1_000_000);
                }
                for (int i = 0; i < 6; i++) {
                  reduce.events.add(Events.ended(TestJob.map(i, 0), Status.FAILED));
                }
                for (int i = 0; i < 6; i++) {
                  mapOnNode(TestJob.map(i, 1), 100);
                  reduce.events.add(Events.succeeded(TestJob.map(i, 1), host));
                }
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    master.start();
    assertDeliversAll(Map.of());
    master.join();
    assertEquals(firstAttempts(6), sorted(reduce.reported));
  }

  /** Stock serializes a status without a lock and clears it after the answer, in two threads. */
  @Test
  void everyLossIsSentThoughMoreAreFoundMeanwhileAndStockSendsAndClearsToo() throws Exception {
    int maps = FetchRules.MAX_MAPS_AT_ONCE; // which may be reported before one is answered
    Semaphore moreMayBeFound = new Semaphore(1);
    String host =
        stockBeside(
            node,
            exchange -> {
              acquire(moreMayBeFound);
              StockHandler.refuse(exchange, 401, "Could not find jobid");
            });
    shuffle(maps);
    for (int i = 0; i < maps; i++) {
      reduce.events.add(Events.succeeded(TestJob.map(i, 0), host));
    }
    reduce.whileSending =
        () -> {
          long found = losses();
          if (found > 0 && found < maps) {
            moreMayBeFound.release();
            awaitLosses(found + 1);
          }
        };
    CompletableFuture<Void> communication = CompletableFuture.runAsync(this::communicate);
    CompletableFuture<Void> master = CompletableFuture.runAsync(() -> giveUpWhatIsReported(maps));
    assertEquals(List.of(), run(Map.of()));
    master.get(120, TimeUnit.SECONDS);
    communication.get(120, TimeUnit.SECONDS);
    assertEquals(maps, Set.copyOf(reduce.reported).size());
  }

  private long losses() {
    return reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue();
  }

  private static void acquire(Semaphore semaphore) throws IOException {
    try {
      assertTrue(semaphore.tryAcquire(50, TimeUnit.SECONDS), "the test has ended");
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  private void awaitLosses(long count) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (losses() < count) {
      assertTrue(System.nanoTime() - deadlineNs < 0, losses() + " of " + count + " are found");
      LockSupport.parkNanos(1_000);
    }
  }

  private boolean allAreReported(int maps) {
    return Set.copyOf(reduce.reported).size() == maps;
  }

  /** As stock's communication thread, and much more often. */
  private void communicate() {
    try {
      while (!allAreReported(job.getNumMapTasks())) {
        reduce.communicate();
        LockSupport.parkNanos(100_000);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void giveUpWhatIsReported(int maps) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!allAreReported(maps) && System.nanoTime() - deadlineNs < 0) {
      LockSupport.parkNanos(1_000_000);
    }
    for (int i = 0; i < maps; i++) {
      reduce.events.add(Events.ended(TestJob.map(i, 0), Status.TIPFAILED));
    }
  }

  /** A length that no disk has room for, and a stream that ends at once: the map is blamed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void announcedLengthIsNotBelieved(boolean pool) throws Exception {
    mapOnNode(TestJob.map(99, 0), 0); // so that the service knows the application
    expected.clear();
    shuffle(1);
    TaskAttemptID map = TestJob.map(0, 0);
    byte[] body =
        StockHandler.output(
            map.toString(), 1L << 62, 1L << 62, REDUCE, new byte[1000], new CRC32());
    stock = new StockHandler(exchange -> StockHandler.reply(exchange, body, body.length));
    reduce.events.add(Events.succeeded(map, stock.url().substring("http://".length())));
    IOException e =
        assertThrows(IOException.class, () -> run(pool ? node.environment() : Map.of()));
    assertTrue(e.getMessage().contains("MAX_FAILED_UNIQUE_FETCHES"), e.getMessage());
    assertEquals(List.of(map), reduce.reported);
  }

  /** Its output has come from another attempt meanwhile. */
  @Test
  void aHandlerThatNeverAnswersHoldsNobodyUp() throws Exception {
    shuffle(1);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    stock =
        new StockHandler(
            exchange -> {
              asked.countDown();
              try {
                assertTrue(answer.await(50, TimeUnit.SECONDS), "the test has ended");
              } catch (InterruptedException e) {
                throw new InterruptedIOException();
              }
            });
    TaskAttemptID stuck = TestJob.map(0, 0);
    reduce.events.add(Events.succeeded(stuck, stock.url().substring("http://".length())));
    mapOnNode(TestJob.map(0, 1), 100);
    Thread master =
        new Thread(
            () -> {
              try {
                asked.await();
                succeeded(TestJob.map(0, 1));
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    master.start();
    try {
      assertDeliversAll(node.environment());
      assertEquals(1, answer.getCount(), "the handler has not answered");
    } finally {
      answer.countDown();
      master.join();
    }
  }
}
