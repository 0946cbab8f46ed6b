package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.service.NodeService;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Clients that keep the endpoint waiting. */
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
    Socket client = new Socket(InetAddress.getByName("127.0.0.1"), endpoint.port());
    clients.add(client);
    client.setSoTimeout((int) TIMEOUT.toMillis());
    client.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void requestsThatDoNotEndKeepNoThread() throws Exception {
    for (int i = 0; i < MetricsEndpoint.THREADS; i++) {
      send("");
      send("GET /metr");
      send("GET /metrics HTTP/1.1\r\nHost: here\r\n");
    }
    URI metrics = URI.create("http://127.0.0.1:" + endpoint.port() + "/metrics");
    HttpRequest request = HttpRequest.newBuilder(metrics).timeout(TIMEOUT).build();
    int status =
        HttpClient.newHttpClient()
            .send(request, HttpResponse.BodyHandlers.discarding())
            .statusCode();
    assertEquals(200, status);
  }
}
