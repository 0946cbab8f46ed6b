package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.StockHandler;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.local.Refusals;
import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.Description;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.remote.ServedReader;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.node.wire.Trouble;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
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
    Description get() throws IOException;
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
    ServedReader reader =
        stub(
            ServedReader.class,
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
        RemoteServer service =
            RemoteServer.start(
                backend(answer),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port + 1),
                new Refusals(),
                ConnectionLimits.DEFAULT);
        NodeReader reader =
            new NodeReader(
                TestJob.APPLICATION,
                NodeLink.jobSecret(TestJob.SECRET),
                new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOW_BYTES),
                null,
                Timeouts.all(TimeUnit.SECONDS.toMillis(LIMIT_S)));
        StockFetch fetch = new StockFetch(job, TestJob.SECRET)) {
      FetchSchedule schedule =
          new FetchSchedule(1, policy, listener, System::nanoTime, TestSeed.random());
      assertEquals(port + 1, service.port());
      schedule.resolve(
          Events.succeeded(TestJob.map(0, 0), stock.url().substring("http://".length())));
      FetchNotes notes =
          new FetchNotes(
              new MapSide(job, TestJob.map(0, 0)).reporter(), System::nanoTime, A_DAY_MS);
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

  @ParameterizedTest
  @EnumSource(RemoteError.Code.class)
  void ofAllRefusalsOneIsReported(RemoteError.Code code) throws Exception {
    RemoteError refusal = new RemoteError(code, "for a test");
    fetch(
        () -> {
          throw refusal;
        });
    assertReported(Trouble.ofAsking(refusal) == Trouble.GONE);
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
    fetch(() -> new Description(new HashMap<>(), new HashMap<>()));
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

  private void assertReported(boolean expected) {
    assertEquals(expected, listener.reported.contains(TestJob.map(0, 0)));
    assertEquals(expected, listener.failedFetches > 0);
  }
}
