package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.metrics.Metric;
import io.sluice.node.service.NodeService;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionCounters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the endpoint answers, and clients that keep it waiting. */
@Timeout(300)
class MetricsEndpointTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir private Path base;
  private NodeService service;
  private MetricsEndpoint endpoint;
  private final List<Socket> clients = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    NodeServiceCommand command = new NodeServiceCommand();
    new CommandLine(command)
        .parseArgs(
            "--dir=" + base.resolve("service"),
            "--capacity=16m",
            "--segment-size=4m",
            "--bind=127.0.0.1",
            "--port=0",
            "--metrics-port=0");
    service = command.start();
    endpoint = command.openMetrics(service);
  }

  @AfterEach
  void stop() throws IOException {
    Closer.all(clients);
    endpoint.close();
    service.close();
  }

  private void send(String bytes) throws IOException {
    send(endpoint, bytes);
  }

  private void send(MetricsEndpoint to, String bytes) throws IOException {
    Socket client = new Socket(InetAddress.getByName("127.0.0.1"), to.port());
    clients.add(client);
    client.setSoTimeout((int) TIMEOUT.toMillis());
    client.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    return ask(endpoint, method, path);
  }

  private static HttpResponse<String> ask(MetricsEndpoint of, String method, String path)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + of.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(TIMEOUT)
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void requestsThatDoNotEndKeepNoThread() throws Exception {
    for (int i = 0; i < MetricsEndpoint.THREADS; i++) {
      send("");
      send("GET /metr");
      send("GET /metrics HTTP/1.1\r\nHost: here\r\n");
    }
    assertEquals(200, ask("GET", "/metrics").statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics", "/healthz"})
  void headIsGetWithoutItsBody(String path) throws Exception {
    HttpResponse<String> head = ask("HEAD", path);
    assertEquals(200, head.statusCode());
    assertEquals("", head.body());
    assertTrue(head.headers().firstValueAsLong("Content-Length").orElse(0) > 0, path);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /, 404",
    "GET, /healthz/, 404",
    "GET, /healthzz, 404",
    "GET, /metrics/all, 404",
    "POST, /health, 404",
    "POST, /healthz, 405",
    "DELETE, /metrics, 405"
  })
  void nothingElseIsThere(String method, String path, int status) throws Exception {
    HttpResponse<String> answer = ask(method, path);
    assertEquals(status, answer.statusCode());
    assertEquals(status == 405, answer.headers().firstValue("Allow").isPresent());
  }

  @Test
  void aServiceThatServesSaysSoAndCountsNothing() throws Exception {
    ConnectionCounters before = service.counters().connections();
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = ask("GET", "/healthz");
      assertEquals("serving\n", answer.body());
      assertEquals(200, answer.statusCode());
    }
    assertEquals(before, service.counters().connections());
    assertEquals(Set.of(0L), Set.copyOf(service.counters().refusals().values()));
  }

  /** Whoever asks often has the service find out early. */
  @Test
  void whatWasRemovedIsThereAgain() throws Exception {
    Files.delete(base.resolve("service/control.sock"));
    Files.delete(base.resolve("service/service.properties"));
    assertEquals("serving\n", ask("GET", "/healthz").body());
    assertTrue(Files.exists(base.resolve("service/control.sock")));
    assertTrue(Files.exists(base.resolve("service/service.properties")));
  }

  @Test
  void aServiceWithoutItsPoolOrItsDirectorySaysWhy() throws Exception {
    Path directory = base.resolve("service");
    assertTrouble(directory.resolve("pool"), "in which the pool lies");
    assertTrouble(directory, "no such file");
  }

  private void assertTrouble(Path removed, String why) throws Exception {
    Path aside = base.resolve("aside");
    Files.move(removed, aside);
    HttpResponse<String> answer = ask("GET", "/healthz");
    assertEquals(503, answer.statusCode());
    assertTrue(answer.body().contains(removed.toString()), answer.body());
    assertTrue(answer.body().contains(why), answer.body());
    Files.move(aside, removed);
    assertEquals(200, ask("GET", "/healthz").statusCode());
  }

  @Test
  void aServiceThatStopsSaysSoAndIsLookedAtNoMore() throws Exception {
    endpoint.stopping();
    service.close();
    for (String path : List.of("/metrics", "/healthz")) {
      HttpResponse<String> answer = ask("GET", path);
      assertEquals(503, answer.statusCode());
      assertEquals("the service is stopping\n", answer.body());
    }
  }

  @Test
  void healthIsAnsweredWhileMetricsHang() throws Exception {
    CountDownLatch hanging = new CountDownLatch(MetricsEndpoint.SCRAPES);
    CountDownLatch end = new CountDownLatch(1);
    MetricsEndpoint slow =
        MetricsEndpoint.open(
            sink -> {
              hanging.countDown();
              await(end);
            },
            new HealthCheck(() -> Optional.of("the metrics hang"), TIMEOUT.toMillis()),
            InetAddress.getLoopbackAddress(),
            0);
    try {
      for (int i = 0; i < MetricsEndpoint.SCRAPES; i++) {
        send(slow, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
      }
      hanging.await();
      assertEquals("the metrics hang\n", ask(slow, "GET", "/healthz").body());
      HttpResponse<String> refused = ask(slow, "GET", "/metrics");
      assertEquals(503, refused.statusCode());
      assertTrue(refused.body().contains("not answered yet"), refused.body());
      end.countDown();
      Await.until("there is room again", () -> status(slow) == 200);
    } finally {
      end.countDown();
      slow.close();
    }
  }

  @Test
  void metricsThatNobodyReadsKeepTheirPlace() throws Exception {
    CountDownLatch asked = new CountDownLatch(MetricsEndpoint.SCRAPES);
    Metric metric = new Metric("large", Metric.Type.GAUGE, "For a test", List.of("of"));
    String large = "x".repeat(16 << 20); // more than the sockets' buffers hold
    MetricsEndpoint unread =
        MetricsEndpoint.open(
            sink -> {
              asked.countDown();
              sink.number(metric, List.of(large), 1);
            },
            new HealthCheck(Optional::empty, TIMEOUT.toMillis()),
            InetAddress.getLoopbackAddress(),
            0);
    try {
      for (int i = 0; i < MetricsEndpoint.SCRAPES; i++) {
        send(unread, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
      }
      asked.await();
      assertEquals(503, status(unread));
      assertEquals("serving\n", ask(unread, "GET", "/healthz").body());
    } finally {
      unread.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int status(MetricsEndpoint of) {
    try {
      return ask(of, "GET", "/metrics").statusCode();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
