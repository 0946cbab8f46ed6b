package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.stage.DiskStage;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a fetcher asks a stock ShuffleHandler for; Sluice's service does not answer at its node. */
@Timeout(300)
final class HostFetcherTest {
  private static final int REDUCE = 1;
  private static final int MAPS = 45;
  private static final int OUTPUT_BYTES = 10_000;
  private static final long A_DAY_MS = 86_400_000;
  private static final String REFUSAL_OF_HADOOP_3_3 =
      "HTTP/1.1 500 Internal Server Error\r\n"
          + "Content-Type: text/plain; charset=UTF-8\r\n\r\n"
          + "Could not find output/x/file.out.index in any of the directories";

  @TempDir Path directory;
  private final JobConf job = TestJob.conf();
  private final Set<Integer> absent = new HashSet<>();

  /** Gives up the maps whose outputs are absent once all others have come. */
  private final RecordingListener listener =
      new RecordingListener() {
        @Override
        public void progress(int doneMaps, int totalMaps) {
          super.progress(doneMaps, totalMaps);
          if (doneMaps == totalMaps - absent.size()) {
            absent.forEach(
                map -> schedule.resolve(Events.ended(TestJob.map(map, 0), Status.TIPFAILED)));
          }
        }
      };

  /** Asked for in one request each. */
  private final List<List<String>> asked = new CopyOnWriteArrayList<>();

  private FetchSchedule schedule;
  private StockHandler stock;
  private NodeReader reader; // null: Sluice's service is known to be silent
  private FetchLog notes;
  private int servicePort;

  @BeforeEach
  void configure() {
    job.set(MRConfig.LOCAL_DIR, directory.toString());
  }

  @AfterEach
  void close() throws IOException {
    schedule.close();
    stock.close();
  }

  private static byte[] bytes(String map) {
    byte[] bytes = new byte[OUTPUT_BYTES];
    Arrays.fill(bytes, (byte) map.hashCode());
    return bytes;
  }

  private List<String> maps(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    List<String> maps = List.of(query.substring(query.indexOf("map=") + 4).split(","));
    asked.add(maps);
    return maps;
  }

  private static byte[] body(List<String> maps) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String map : maps) {
      body.write(StockHandler.output(TaskAttemptID.forName(map), REDUCE, bytes(map)));
    }
    return body.toByteArray();
  }

  /** Waits for whatever cannot be had, so that nothing fails. */
  private void fetchAll(StockHandler.Script script) throws Exception {
    fetchAll(A_DAY_MS, script);
    assertEquals(List.of(), listener.reported);
    assertEquals(0, listener.failedFetches);
  }

  /** Fetches all that is not absent, and compares every byte. */
  private void fetchAll(long patienceMs, StockHandler.Script script) throws Exception {
    FetchPolicy policy = new FetchPolicy(10, true, 5, 1, patienceMs, patienceMs, 1, 3);
    schedule = new FetchSchedule(MAPS, policy, listener, System::nanoTime, TestSeed.random());
    stock = new StockHandler(script);
    String host = stock.url().substring("http://".length());
    for (int i = 0; i < MAPS; i++) {
      schedule.resolve(Events.succeeded(TestJob.map(i, 0), host));
    }
    if (reader == null) {
      notes = notes(System::nanoTime, A_DAY_MS);
      notes.fellSilent(host);
    }
    int stockPort = URI.create(stock.url()).getPort();
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            REDUCE,
            null,
            FallbackPolicy.AUTO,
            new ServicePorts(servicePort - stockPort),
            policy,
            patienceMs,
            1,
            false);
    try (StockFetch fetch = new StockFetch(job, TestJob.SECRET);
        DiskStage stage =
            new DiskStage(
                job,
                FileSystem.getLocal(job).getRaw(),
                new LocalDirAllocator(MRConfig.LOCAL_DIR),
                "reduce",
                null)) {
      Thread fetcher = new Thread(new HostFetcher(schedule, notes, reader, fetch, stage, settings));
      fetcher.start();
      while (!schedule.awaitDone(1_000)) {
        schedule.throwIfFailed();
      }
      fetcher.join();
      List<MergeRun> runs = schedule.takeAll();
      assertEquals(MAPS - absent.size(), runs.size());
      int next = 0;
      for (int i = 0; i < MAPS; i++) {
        if (!absent.contains(i)) {
          try (MergeRun run = runs.get(next++)) {
            assertArrayEquals(bytes(TestJob.map(i, 0).toString()), read(run));
          }
        }
      }
    }
  }

  private FetchLog notes(LongSupplier nanoClock, long restartMs) {
    return new FetchLog(new MapSide(job, TestJob.map(0, 0)).reporter(), nanoClock, restartMs);
  }

  private static byte[] read(MergeRun run) throws IOException {
    byte[] bytes = new byte[2 * OUTPUT_BYTES];
    int length = 0;
    int n;
    while ((n = run.input().read(bytes, length, bytes.length - length)) > 0) {
      length += n;
    }
    return Arrays.copyOf(bytes, length);
  }

  private static List<String> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> TestJob.map(i, 0).toString()).toList();
  }

  /** As many as stock's Fetcher asks for. */
  @Test
  void twentyOutputsComeWithOneRequest() throws Exception {
    fetchAll(
        exchange -> {
          byte[] body = body(maps(exchange));
          StockHandler.reply(exchange, body, body.length);
        });
    assertEquals(List.of(ids(0, 20), ids(20, 40), ids(40, 45)), asked);
  }

  @Test
  void aRefusalOfSeveralIsThatOfOne() throws Exception {
    absent.add(7);
    String gone = ids(7, 8).get(0);
    fetchAll(
        exchange -> {
          List<String> maps = maps(exchange);
          if (maps.contains(gone)) {
            StockHandler.refuse(exchange, 500, StockHandler.noOutput(gone));
          } else {
            byte[] body = body(maps);
            StockHandler.reply(exchange, body, body.length);
          }
        });
    assertEquals(ids(0, 20), asked.get(0));
    for (int i = 0; i < 20; i++) {
      assertEquals(ids(i, i + 1), asked.get(i + 1));
    }
  }

  /** Hadoop 3.3 has begun its reply by then; whatever else comes in place of a header. */
  @ParameterizedTest
  @ValueSource(strings = {REFUSAL_OF_HADOOP_3_3, "\u0001", "", "no header at all, but long enough"})
  void noneIsBlamedForAnother(String inPlaceOfAHeader) throws Exception {
    absent.add(7);
    byte[] said = inPlaceOfAHeader.getBytes(StandardCharsets.UTF_8);
    fetchAll(
        0,
        exchange -> {
          List<String> maps = maps(exchange);
          byte[] body = maps.contains(ids(7, 8).get(0)) ? said : body(maps);
          StockHandler.reply(exchange, body, body.length);
        });
    assertEquals(Set.of(TestJob.map(7, 0)), Set.copyOf(listener.reported));
    assertEquals(listener.reported.size(), listener.failedFetches);
    assertEquals(ids(0, 20), asked.get(0));
    assertEquals(ids(0, 1), asked.get(1));
  }

  /** In whatever order they come. */
  @Test
  void whatWasComingIsBlamed() throws Exception {
    fetchAll(
        0,
        exchange -> {
          List<String> maps = new ArrayList<>(maps(exchange));
          Collections.reverse(maps);
          byte[] body = body(maps);
          boolean whole = asked.size() > 1;
          StockHandler.reply(
              exchange, body, whole ? body.length : body.length / 20 * 2 + OUTPUT_BYTES / 2);
        });
    assertEquals(List.of(TestJob.map(17, 0)), listener.reported);
    assertEquals(1, listener.failedFetches);
  }

  /** What has come before is kept, and the rest asked for again. */
  @Test
  void aReplyThatEndsInTheMiddleOfAnOutput() throws Exception {
    fetchAll(
        exchange -> {
          List<String> maps = maps(exchange);
          byte[] body = body(maps);
          boolean whole = asked.size() > 1;
          StockHandler.reply(
              exchange, body, whole ? body.length : body.length / 20 * 2 + OUTPUT_BYTES / 2);
        });
    assertEquals(
        ids(2, MAPS),
        asked.stream().skip(1).flatMap(List::stream).sorted().toList(),
        "asked again");
  }

  @Test
  void aBusyHandlerIsAskedAgainForTheRest() throws Exception {
    fetchAll(
        exchange -> {
          List<String> maps = maps(exchange);
          if (asked.size() == 2) {
            exchange.getResponseHeaders().set("Retry-After", "1");
            exchange.sendResponseHeaders(429, -1);
          } else {
            byte[] body = body(maps);
            StockHandler.reply(exchange, body, body.length);
          }
        });
    assertEquals(ids(0, 20), asked.get(0));
    assertEquals(4, asked.size());
  }

  /** Not by each batch for as long as an answer may take. */
  @Test
  void aServiceThatDoesNotAnswerIsAskedOnceInAWhile() throws Exception {
    AtomicLong nowNs = new AtomicLong();
    try (ServerSocketChannel service = ServerSocketChannel.open();
        NodeReader asking =
            new NodeReader(
                TestJob.APPLICATION,
                NodeLink.jobSecret(TestJob.SECRET),
                new Transports(List.of(new TcpProvider()), 1 << 16, 1 << 20),
                null,
                Timeouts.all(200))) {
      service.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      servicePort = service.socket().getLocalPort();
      reader = asking;
      notes = notes(nowNs::get, 30_000);
      fetchAll(
          exchange -> {
            byte[] body = body(maps(exchange));
            StockHandler.reply(exchange, body, body.length);
          });
      assertEquals(3, asked.size(), "batches");
      service.configureBlocking(false);
      int connections = 0;
      for (SocketChannel each = service.accept(); each != null; each = service.accept()) {
        each.close();
        connections++;
      }
      assertEquals(1, connections);
    }
    String host = stock.url().substring("http://".length());
    nowNs.set(TimeUnit.SECONDS.toNanos(10) - 1);
    assertTrue(notes.isSilent(host), "a third of the time that is waited for an output");
    assertFalse(notes.isSilent("another:1"));
    nowNs.incrementAndGet();
    assertFalse(notes.isSilent(host));
  }
}
