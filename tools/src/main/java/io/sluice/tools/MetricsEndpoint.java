package io.sluice.tools;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.MetricSink;
import io.sluice.node.metrics.NodeMetrics;
import io.sluice.node.service.NodeService;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link NodeMetrics} at {@code /metrics}, for Prometheus to come for.
 *
 * <p>It answers in one of the two texts. The HTTP server of Prometheus' own library also promises
 * its binary format to whoever takes it, and fails if it has not all of protobuf with it.
 *
 * <p>Thread contract: safe from any thread; a few threads of its own answer. Ownership: whoever
 * opens it closes it before the service. Failure: {@link IOException} if it cannot listen; a
 * request that fails is answered with status 500, and logged; one that does not come to its end, or
 * whose answer is not taken, ends with its connection.
 */
final class MetricsEndpoint implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
  private static final String PATH = "/metrics";

  /** So that one scraper that does not read keeps none of the others waiting. */
  static final int THREADS = 4;

  static {
    // Else who sends half a request, or does not read, would keep a thread. The JDK's server has no
    // other way to be told, and reads these when it is first used.
    System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", "5"); // seconds
    System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", "30");
  }

  private final NodeService service;
  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, body -> DaemonThreads.create("sluice-metrics", body));
  private final ExpositionFormatWriter plain;
  private final ExpositionFormatWriter open;

  private MetricsEndpoint(NodeService service, HttpServer server) {
    this.service = service;
    this.server = server;
    ExpositionFormats formats = ExpositionFormats.init();
    this.plain = formats.getPrometheusTextFormatWriter();
    this.open = formats.getOpenMetricsTextFormatWriter();
    server.createContext(PATH, this::answer);
    server.setExecutor(threads);
  }

  /** Listens; port 0 is any. */
  static MetricsEndpoint open(NodeService service, InetAddress address, int port)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(address, port), 0);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen for metrics at " + address + " port " + port + ": " + ErrorText.of(e), e);
    }
    MetricsEndpoint endpoint = new MetricsEndpoint(service, server);
    server.start();
    return endpoint;
  }

  private void answer(HttpExchange exchange) {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, -1);
        return;
      }
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      ExpositionFormatWriter format =
          open.accepts(exchange.getRequestHeaders().getFirst("Accept")) ? open : plain;
      try {
        PrometheusSnapshots snapshots = new PrometheusSnapshots();
        NodeMetrics.read(service, snapshots);
        format.write(body, snapshots.build());
      } catch (RuntimeException | Error e) {
        SafeLog.error(LOG, "A request for metrics from {} failed", exchange.getRemoteAddress(), e);
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_INTERNAL_ERROR, -1);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", format.getContentType());
      exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, body.size());
      body.writeTo(exchange.getResponseBody());
    } catch (IOException e) {
      LOG.debug("{} did not take its metrics: {}", exchange.getRemoteAddress(), e.toString());
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /**
   * The values of a moment as Prometheus' library has them.
   *
   * <p>Thread contract: one thread.
   */
  static final class PrometheusSnapshots implements MetricSink {
    /** The library puts it behind the name of a counter itself. */
    private static final String TOTAL = "_total";

    private final Map<Metric, MetricSnapshot.Builder<?>> metrics = new LinkedHashMap<>();

    @Override
    public void number(Metric metric, List<String> labelValues, long value) {
      Labels labels = Labels.of(metric.labels(), labelValues);
      if (metric.type() == Metric.Type.COUNTER) {
        of(metric, CounterSnapshot.builder())
            .dataPoint(
                CounterSnapshot.CounterDataPointSnapshot.builder()
                    .labels(labels)
                    .value(value)
                    .build());
      } else {
        of(metric, GaugeSnapshot.builder())
            .dataPoint(
                GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
      }
    }

    @Override
    public void waits(Metric metric, List<String> labelValues, WaitCounts value) {
      ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
      for (int i = 0; i <= WaitCounts.BOUNDS; i++) {
        buckets.bucket(WaitCounts.boundSeconds(i), value.counts().get(i));
      }
      of(metric, HistogramSnapshot.builder())
          .dataPoint(
              HistogramSnapshot.HistogramDataPointSnapshot.builder()
                  .labels(Labels.of(metric.labels(), labelValues))
                  .classicHistogramBuckets(buckets.build())
                  .sum(value.totalSeconds())
                  .build());
    }

    /** The builder that this metric already has, which is of its type, or the given one. */
    private <B extends MetricSnapshot.Builder<B>> B of(Metric metric, B fresh) {
      MetricSnapshot.Builder<?> known =
          metrics.computeIfAbsent(
              metric, m -> fresh.name(m.name().replaceAll(TOTAL + "$", "")).help(m.help()));
      @SuppressWarnings("unchecked")
      B same = (B) fresh.getClass().cast(known);
      return same;
    }

    MetricSnapshots build() {
      MetricSnapshots.Builder all = MetricSnapshots.builder();
      metrics.values().forEach(metric -> all.metricSnapshot(metric.build()));
      return all.build();
    }
  }
}
