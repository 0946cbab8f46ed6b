package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.metrics.Readings;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.RefusesSegments;
import io.sluice.node.testing.TestService;
import io.sluice.node.wire.JobSecret;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Dashboard and alerts name what a node's service really says; the endpoint says all of it. */
@Timeout(300)
class DashboardTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Path DASHBOARD = Path.of("..", "docs", "grafana", "sluice-node.json");

  private static final Path ALERTS = Path.of("..", "docs", "grafana", "sluice-alerts.yml");

  private static final Pattern RULE =
      Pattern.compile("- alert: (\\w+)\n +expr: (.*)\n((?:.*\\S.*\n)*)");
  private static final Pattern LABEL = Pattern.compile("\\$labels\\.(\\w+)");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

  /** Metrics that no panel has, by why. */
  private static final Map<String, String> NOT_SHOWN =
      Map.of("sluice_moved_outputs_total", "the bytes of what has moved are shown");

  @TempDir private Path base;
  private NodeService service;
  private SocketClient task;
  private MetricsEndpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    service = // one that has everything: a transport that bounces, and a disk tier with a bound
        NodeService.start(
            TestService.inMemory(base.resolve("service"), 16)
                .overflow(List.of(base.resolve("disk")), 1 << 30, 0)
                .transports(List.of(new RefusesSegments(false), new TcpProvider()))
                .listen(InetAddress.getLoopbackAddress(), 0)
                .bounceSlots(64 << 10, 4));
    endpoint = command("--metrics-port=0").openMetrics(service);
    task =
        SocketClient.connect(
            service.metadata().address().socket(),
            "app-1",
            new JobSecret(new byte[] {1}),
            TIMEOUT.toMillis());
    TestOutput.single(new Random(1), "output", 100_000).commit("app-1", task);
    TestOutput.single(new Random(2), "large", 20_000_000).commit("app-1", task);
    task.lease(1);
  }

  @AfterEach
  void stop() throws IOException {
    endpoint.close();
    task.close();
    service.close();
  }

  private NodeServiceCommand command(String... options) {
    NodeServiceCommand made = new NodeServiceCommand();
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--dir=" + base.resolve("service"), "--bind=127.0.0.1"));
    new CommandLine(made).parseArgs(arguments.toArray(String[]::new));
    return made;
  }

  private String scrape() throws IOException, InterruptedException {
    HttpResponse<String> answer = answer("*/*");
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  private HttpResponse<String> answer(String accept) throws IOException, InterruptedException {
    URI metrics = URI.create("http://127.0.0.1:" + endpoint.port() + "/metrics");
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(metrics).header("Accept", accept).timeout(TIMEOUT).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static List<JsonNode> targets(JsonNode dashboard) {
    List<JsonNode> targets = new ArrayList<>();
    dashboard.get("panels").forEach(panel -> panel.get("targets").forEach(targets::add));
    return targets;
  }

  /** What the dashboard names and the page has not. */
  private static List<String> missing(String dashboard, String page) throws IOException {
    MetricsPage known = new MetricsPage(page);
    List<String> missing = new ArrayList<>();
    for (JsonNode target : targets(new ObjectMapper().readTree(dashboard))) {
      String expression = target.get("expr").asText();
      missing.addAll(known.missing(expression));
      for (MatchResult label :
          LEGEND.matcher(target.get("legendFormat").asText()).results().toList()) {
        if (!MetricsPage.groups(expression).contains(label.group(1))) {
          missing.add(expression + " has no " + label.group());
        }
      }
    }
    return missing;
  }

  @Test
  void everythingThatItNamesExists() throws Exception {
    assertEquals(List.of(), missing(Files.readString(DASHBOARD), scrape()));
  }

  @Test
  void everyMetricIsOnAPanelUnlessThereIsAReason() throws Exception {
    Set<String> named = new HashSet<>();
    for (JsonNode target : targets(new ObjectMapper().readTree(Files.readString(DASHBOARD)))) {
      named.addAll(MetricsPage.metrics(target.get("expr").asText()));
    }
    Set<String> onNone =
        NodeMetrics.all().stream()
            .filter(metric -> names(metric).stream().noneMatch(named::contains))
            .map(Metric::name)
            .collect(Collectors.toSet());
    assertEquals(NOT_SHOWN.keySet(), onNone);
  }

  /** As Prometheus has them: those of a histogram, or the one. */
  private static List<String> names(Metric metric) {
    return metric.type() == Metric.Type.HISTOGRAM
        ? List.of(metric.name() + "_bucket", metric.name() + "_count", metric.name() + "_sum")
        : List.of(metric.name());
  }

  @Test
  void whatIsMisspeltIsFound() throws Exception {
    String page = scrape();
    String dashboard = Files.readString(DASHBOARD);
    Map<String, String> misspelt =
        Map.of(
            "sluice_serving", "sluice_served",
            "sluice_served_seconds_bucket", "sluice_served_seconds_buckets",
            "sluice_served_bytes_total", "sluice_served_bytes",
            "by (kind)", "by (kinds)",
            "tier=\\\"disk\\\"", "tier=\\\"disc\\\"",
            "(sluice_application_bytes or", "(sluice_applications_bytes or",
            "reason!=\\\"too-many\\\"", "reason!=\\\"too-few\\\"",
            "{{application}}", "{{app}}");
    for (Map.Entry<String, String> each : misspelt.entrySet()) {
      assertTrue(dashboard.contains(each.getKey()), each.getKey());
      List<String> missing = missing(dashboard.replace(each.getKey(), each.getValue()), page);
      assertTrue(!missing.isEmpty(), () -> "nobody sees " + each.getValue());
    }
  }

  /** What the alerts name and the page has not, by parts of their conditions. */
  private static List<String> missingOfAlerts(String alerts, String page) {
    MetricsPage known = new MetricsPage(page);
    List<String> missing = new ArrayList<>();
    for (MatchResult rule : RULE.matcher(alerts).results().toList()) {
      Set<String> labels = new HashSet<>(Set.of("instance"));
      for (String condition : rule.group(2).split(" or ")) {
        labels.addAll(MetricsPage.groups(condition));
        if (!condition.startsWith("up{")) { // of Prometheus itself
          missing.addAll(known.missing(condition));
        }
      }
      LABEL
          .matcher(rule.group(3))
          .results()
          .map(label -> label.group(1))
          .filter(label -> !labels.contains(label))
          .forEach(label -> missing.add(rule.group(1) + " has no " + label));
    }
    return missing;
  }

  @Test
  void everythingThatTheAlertsNameExists() throws Exception {
    String alerts = Files.readString(ALERTS);
    assertEquals(5, RULE.matcher(alerts).results().count());
    assertEquals(List.of(), missingOfAlerts(alerts, scrape()));
  }

  @Test
  void whatIsMisspeltInAnAlertIsFound() throws Exception {
    String page = scrape();
    String alerts = Files.readString(ALERTS);
    Map<String, String> misspelt =
        Map.of(
            "sluice_serving", "sluice_served",
            "sluice_memory_capacity_bytes", "sluice_memory_bytes",
            "sluice_refused_total", "sluice_refused",
            "served_seconds_bucket", "served_seconds_buckets",
            "reason!=\"too-many\"", "reason!=\"too-few\"",
            "(instance, reason)", "(instance, reasons)",
            "$labels.transport", "$labels.transports");
    for (Map.Entry<String, String> each : misspelt.entrySet()) {
      assertTrue(alerts.contains(each.getKey()), each.getKey());
      List<String> missing = missingOfAlerts(alerts.replace(each.getKey(), each.getValue()), page);
      assertTrue(!missing.isEmpty(), () -> "nobody sees " + each.getValue());
    }
  }

  /** Whatever the service says now, and nothing else; under the same names as in a NodeManager. */
  @Test
  void theEndpointSaysAllOfIt() throws Exception {
    Set<String> expected = new TreeSet<>();
    Readings.of(service).metrics().forEach(metric -> expected.addAll(names(metric)));
    String page = scrape();
    assertEquals(expected, new TreeSet<>(new MetricsPage(page).names()));
    assertTrue(page.contains("sluice_memory_capacity_bytes " + (double) (16 << 20)), page);
    String outputs =
        "sluice_application_bytes{application=\"app-1\",tier=\"memory\",user=\"%s\"}"
            .formatted(Owner.ofThisProcess());
    assertTrue(page.contains(outputs), page);
    assertTrue(page.contains("# TYPE sluice_served_seconds histogram"), page);
    assertTrue(page.contains("le=\"+Inf\""), page);
  }

  /** What Prometheus 3 asks for, and what it asks for if it is told to take native histograms. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3 | # EOF",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
            + "encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.2 | # TYPE"
      })
  void answersWhateverPrometheusAsksFor(String accept, String part) throws Exception {
    HttpResponse<String> answer = answer(accept);
    assertEquals(200, answer.statusCode());
    assertTrue(answer.body().contains(part), answer.body());
    assertTrue(answer.body().contains("sluice_serving 1"), answer.body());
  }

  /** A scraper leaves no thread behind that keeps the process, and none can come later. */
  @Test
  void nobodyIsAnsweredOnceItIsClosed() throws Exception {
    int port = endpoint.port();
    scrape();
    endpoint.close();
    try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertEquals(port, free.getLocalPort());
    }
  }

  @Test
  void listensNowhereUnlessToldWhere() throws IOException {
    assertNull(command().openMetrics(service));
  }

  @Test
  void aPortThatIsTakenIsSaid() {
    String message =
        assertThrows(
                IOException.class,
                () -> command("--metrics-port=" + endpoint.port()).openMetrics(service))
            .getMessage();
    assertTrue(message.contains("port " + endpoint.port()), message);
  }
}
