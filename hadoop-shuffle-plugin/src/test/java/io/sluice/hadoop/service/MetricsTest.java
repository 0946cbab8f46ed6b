package io.sluice.hadoop.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.node.NodeManagerPlan;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a NodeManager's {@code /prom} says of its service, by the sink behind it. */
@Timeout(300)
final class MetricsTest {
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(sluice_\\w+)\\{([^}]*)} (\\S+)$");

  private static final int TIMEOUT_MS = 120_000;

  @TempDir Path directory;
  private final PrometheusMetricsSink sink = new PrometheusMetricsSink();
  private final YarnConfiguration conf = new YarnConfiguration();
  private MetricsSystem metrics;

  @BeforeEach
  void start() throws IOException {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, FreePorts.inARow(2) - 1);
    conf.setInt(NodeSettings.PORT_OFFSET.name(), 1);
    conf.set(NodeSettings.POOL_DIR.name(), directory.resolve("node").toString());
    conf.setInt(NodeSettings.POOL_CAPACITY_MB.name(), 8);
    conf.setInt(NodeSettings.POOL_SEGMENT_MB.name(), 4);
    conf.set(NodeSettings.POOL_OVERFLOW_DIRS.name(), directory.resolve("disk").toString());
    conf.setInt(NodeSettings.POOL_OVERFLOW_CAPACITY_MB.name(), 64);
    conf.set(NodeSettings.TRANSPORT.name(), "tcp");
    metrics = DefaultMetricsSystem.initialize("NodeManager");
    metrics.register("prometheus", "as behind /prom", sink);
  }

  @AfterEach
  void stop() {
    DefaultMetricsSystem.shutdown();
  }

  private SluiceShuffleService service() {
    SluiceShuffleService service = new SluiceShuffleService();
    service.init(conf);
    service.start();
    return service;
  }

  private String scrape() throws IOException {
    metrics.publishMetricsNow();
    StringWriter page = new StringWriter();
    sink.writeMetrics(page);
    return page.toString();
  }

  private static Set<String> names(String page) {
    return SAMPLE
        .matcher(page)
        .results()
        .map(sample -> sample.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of a histogram, or the one. */
  private static List<String> names(Metric metric) {
    return metric.type() == Metric.Type.HISTOGRAM
        ? List.of(metric.name() + "_bucket", metric.name() + "_count", metric.name() + "_sum")
        : List.of(metric.name());
  }

  private static String sample(String page, String name, String label) {
    Matcher found = SAMPLE.matcher(page);
    while (found.find()) {
      if (found.group(1).equals(name) && found.group(2).contains(label)) {
        return found.group(3);
      }
    }
    throw new AssertionError("no " + name + " with " + label + " in\n" + page);
  }

  @Test
  void hasTheNamesThatEverybodyUses() throws IOException {
    SluiceShuffleService service = service();
    String page = scrape();
    assertEquals("1", sample(page, "sluice_serving", ""));
    assertEquals(Integer.toString(8 << 20), sample(page, "sluice_memory_capacity_bytes", ""));
    assertEquals("0", sample(page, "sluice_memory_held_bytes", "kind=\"send\""));
    assertEquals("0", sample(page, "sluice_served_seconds_bucket", "le=\"1.0E-6\""));
    assertEquals("0", sample(page, "sluice_served_seconds_bucket", "le=\"+Inf\""));
    assertEquals("0.0", sample(page, "sluice_served_seconds_sum", "transport=\"tcp\""));
    assertTrue(page.contains("# TYPE sluice_served_bytes_total counter"), page);
    try (SocketClient task = connect(service)) {
      task.lease(1);
      commitMoreThanMemoryHolds(service);
      assertEquals(allButOfBounceBuffers(), names(scrape()));
    }
    service.stop();
    assertEquals(Set.of(), names(scrape()));
  }

  /** Which transport tcp needs none of. */
  private static Set<String> allButOfBounceBuffers() {
    return NodeMetrics.all().stream()
        .filter(metric -> !metric.name().startsWith("sluice_bounce_"))
        .flatMap(metric -> names(metric).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static SocketClient connect(SluiceShuffleService service) throws IOException {
    return NodeLink.connect(
        NodeMetadata.find(SluiceShuffleServiceTest.environment(service)),
        TestJob.ID,
        Borrower.PROCESS,
        TestJob.SECRET,
        Timeouts.all(TIMEOUT_MS));
  }

  private static void commitMoreThanMemoryHolds(SluiceShuffleService service) throws IOException {
    byte[] bytes = new byte[12 << 20];
    try (SocketClient client = connect(service);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 20)) {
      writer.beginRun(0);
      writer.write(bytes, 0, bytes.length);
      writer.endRun(bytes.length, 1);
      writer.commit(new OutputId(TestJob.APPLICATION, "output"));
    }
  }

  @Test
  void saysThatAServiceCouldNotStart() throws IOException {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    SluiceShuffleService service = service();
    assertEquals(Set.of("sluice_serving"), names(scrape()));
    assertEquals("0", sample(scrape(), "sluice_serving", ""));
    service.stop();
  }

  @Test
  void aSecondServiceOfTheProcessIsNotShownAndHidesTheFirstFromNobody() throws IOException {
    SluiceShuffleService first = service();
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    SluiceShuffleService second = service();
    second.stop();
    assertEquals("1", sample(scrape(), "sluice_serving", ""));
    first.stop();
    assertFalse(scrape().contains("sluice_"));
  }
}
