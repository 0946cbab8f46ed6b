package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.socket.Refusals;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An output that a node's service does not give, for each of its reasons, and that its
 * ShuffleHandler says it does not have: only what is gone is reported.
 */
@Timeout(300)
final class HostFetcherTroubleTest {
  private static final int TIMES = 3;
  private static final long LIMIT_S = 120;
  private static final int A_DAY_MS = 86_400_000;
  private static final int WINDOW_BYTES = 64 << 10;

  private final JobConf job = TestJob.conf();
  private final RecordingListener listener = new RecordingListener();
  private final CountDownLatch asked = new CountDownLatch(TIMES);

  /** What the service says. */
  private interface Answer {
    OutputLocations get() throws IOException;
  }

  @SuppressWarnings("unchecked")
  private static <T> T stub(Class<T> type, Map<String, Object> answers) {
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName()));
  }

  private RemoteBackend backend(Answer answer) throws RemoteError {
    AuthenticatedReader reader =
        stub(
            AuthenticatedReader.class,
            Map.of(
                "offers",
                List.of(),
                "slots",
                stub(BounceSlots.class, Map.of()),
                "heap",
                HeapBudget.ofReaders(false).take(null, 1)));
    RemoteBackend others =
        stub(
            RemoteBackend.class,
            Map.of(
                "secretOf",
                NodeLink.jobSecret(TestJob.SECRET),
                "poolId",
                new UUID(1, 2),
                "probe",
                List.of(),
                "open",
                reader));
    return (RemoteBackend)
        Proxy.newProxyInstance(
            RemoteBackend.class.getClassLoader(),
            new Class<?>[] {RemoteBackend.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("describe")) {
                asked.countDown();
              }
              if (method.getName().startsWith("describe")) { // at length, too
                return answer.get();
              }
              return method.invoke(others, arguments);
            });
  }

  private void fetch(Answer answer) throws Exception {
    fetch(A_DAY_MS, false, answer);
  }

  /** Asks for one output until the service has answered a few times. */
  private void fetch(long patienceMs, boolean accepted, Answer answer) throws Exception {
    int port = FreePorts.inARow(2);
    job.setInt(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 1);
    job.setInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, A_DAY_MS);
    job.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, true);
    job.setInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, A_DAY_MS);
    FetchPolicy policy = FetchPolicy.of(job);
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            0, null, FallbackPolicy.AUTO, new ServicePorts(1), policy, patienceMs, 1, false);
    try (StockHandler stock =
            new StockHandler(
                exchange ->
                    StockHandler.refuse(
                        exchange, 500, StockHandler.noOutput(TestJob.map(0, 0).toString())),
                port);
        RemoteServer service = server(answer, port + 1);
        NodeReader reader = reader();
        StockFetch fetch = new StockFetch(job, TestJob.SECRET)) {
      FetchSchedule schedule =
          new FetchSchedule(1, policy, listener, System::nanoTime, TestSeed.random());
      assertEquals(port + 1, service.port());
      schedule.resolve(
          Events.succeeded(TestJob.map(0, 0), stock.url().substring("http://".length())));
      FetchLog notes = notes();
      if (accepted) {
        notes.accepted();
      }
      Thread fetcher =
          new Thread(new HostFetcher(schedule, notes, reader, fetch, null, settings), "fetcher");
      fetcher.start();
      boolean askedAgain = asked.await(LIMIT_S, TimeUnit.SECONDS);
      schedule.close();
      fetcher.join();
      assertTrue(askedAgain, "it was asked for once, or not at all");
    }
  }

  private RemoteServer server(Answer answer, int port) throws IOException {
    return RemoteServer.start(
        backend(answer),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        new Refusals(),
        ConnectionLimits.DEFAULT);
  }

  private static NodeReader reader() {
    return new NodeReader(
        TestJob.APPLICATION,
        NodeLink.jobSecret(TestJob.SECRET),
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOW_BYTES),
        null,
        // A stranger may listen at another port where the service could be, and say nothing.
        Timeouts.all(TimeUnit.SECONDS.toMillis(LIMIT_S / 10)));
  }

  private FetchLog notes() {
    return new FetchLog(new MapSide(job, TestJob.map(0, 0)).reporter(), System::nanoTime, A_DAY_MS);
  }

  @ParameterizedTest
  @EnumSource(RemoteError.Code.class)
  void ofAllRefusalsOneIsReported(RemoteError.Code code) throws Exception {
    RemoteError refusal = new RemoteError(code, "for a test");
    fetch(
        () -> {
          throw refusal;
        });
    assertReported(FailureMeaning.ofAsking(refusal) == FailureMeaning.GONE);
  }

  /** It is the node's fault then, and the map may run elsewhere. */
  @ParameterizedTest
  @EnumSource(names = {"REFUSED", "BAD_REQUEST"})
  void aRefusalOfWhomAnotherServiceAcceptsIsReported(RemoteError.Code code) throws Exception {
    fetch(
        0,
        true,
        () -> {
          throw new RemoteError(code, "for a test");
        });
    assertReported(true);
  }

  @Test
  void whatTheServiceDoesNotHoldIsReported() throws Exception {
    fetch(() -> new OutputLocations(new HashMap<>(), new HashMap<>()));
    assertReported(true);
  }

  /** It ends the conversation. */
  @Test
  void anErrorOfTheServiceIsNotReported() throws Exception {
    fetch(
        () -> {
          throw new OutOfMemoryError("for a test");
        });
    assertReported(false);
  }

  /** What becomes of a request to a ShuffleHandler. */
  private enum Stock {
    NOT_ASKED(null),
    BUSY(exchange -> exchange.sendResponseHeaders(429, -1)),
    REFUSING(exchange -> StockHandler.refuse(exchange, 500, "for a test")),
    BREAKING_OFF(exchange -> StockHandler.reply(exchange, new byte[100], 1));

    private final StockHandler.Script script;

    Stock(StockHandler.Script script) {
      this.script = script;
    }
  }

  /**
   * Its service answers each time that it does not have the output. The reduce is patient for less
   * than two visits, unless it is patient with restarts for longer.
   */
  @ParameterizedTest
  @CsvSource({
    "NOT_ASKED, 1, 3",
    "BUSY, 1, 5",
    "REFUSING, 1, 5",
    "BREAKING_OFF, 1, 5",
    "NOT_ASKED, " + A_DAY_MS + ", 0"
  })
  void aHostIsReachedByEachAnswerOfItsShuffleHandlerAlone(
      Stock inSecondVisit, int restartMs, int reportingVisit) throws Exception {
    int port = FreePorts.inARow(2);
    int visitMs = 3 * 60_000; // it looks at the clock three times, and finds it a minute later each
    AtomicLong minutes = new AtomicLong();
    job.setInt(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 1);
    job.setInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, visitMs + visitMs / 2);
    job.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, true);
    job.setInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, A_DAY_MS);
    FetchPolicy policy = FetchPolicy.of(job);
    AtomicInteger visits = new AtomicInteger();
    List<Integer> reportingVisits = new ArrayList<>();
    AtomicReference<FetchSchedule> started = new AtomicReference<>();
    FetchSchedule schedule =
        new FetchSchedule(
            10, // so that one failure does not end the attempt
            policy,
            new RecordingListener() {
              @Override
              public void reportFetchFailure(TaskAttemptID map) {
                reportingVisits.add(visits.get());
                started.get().end();
              }
            },
            () -> TimeUnit.MINUTES.toNanos(minutes.incrementAndGet()),
            TestSeed.random());
    started.set(schedule);
    schedule.resolve(Events.succeeded(TestJob.map(0, 0), "localhost:" + port));
    AtomicReference<StockHandler> stock = new AtomicReference<>();
    Answer absent =
        () -> {
          int visit = visits.incrementAndGet();
          if (visit == 2 && inSecondVisit.script != null) {
            stock.set(
                new StockHandler(
                    exchange -> {
                      // Else the third visit is over the same connection.
                      exchange.getResponseHeaders().set("Connection", "close");
                      inSecondVisit.script.answer(exchange);
                    },
                    port));
          } else if (visit == 3 && stock.get() != null) {
            stock.get().close();
          } else if (visit == 10) {
            schedule.end(); // for ever
          }
          return new OutputLocations(new HashMap<>(), new HashMap<>());
        };
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            0, null, FallbackPolicy.AUTO, new ServicePorts(1), policy, restartMs, 1, false);
    try (RemoteServer service = server(absent, port + 1);
        NodeReader reader = reader();
        StockFetch fetch = new StockFetch(job, TestJob.SECRET)) {
      assertEquals(port + 1, service.port());
      new HostFetcher(schedule, notes(), reader, fetch, null, settings).run();
      schedule.throwIfFailed();
    }
    assertEquals(reportingVisit == 0 ? List.of() : List.of(reportingVisit), reportingVisits);
  }

  private void assertReported(boolean expected) {
    assertEquals(expected, listener.reported.contains(TestJob.map(0, 0)));
    assertEquals(expected, listener.failedFetches > 0);
  }
}
