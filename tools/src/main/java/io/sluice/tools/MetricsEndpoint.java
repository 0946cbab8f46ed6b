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
import io.sluice.node.metrics.Metric.MetricSink;
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
 * Serves {@link NodeMetrics} to Prometheus at {@code /metrics}.
 *
 * <p>It answers in one of Prometheus' two text formats. It does not use the HTTP server of
 * Prometheus' library: that one also offers the binary format, and fails without all of protobuf.
 *
 * <p>Thread contract: safe from any thread; {@value #THREADS} threads of its own answer. Ownership:
 * the opener closes it before the service. Failure: {@link IOException} if it cannot listen. A
 * failed request is logged and answered with status 500. The connection of a client that sends half
 * a request, or does not read the answer, is closed after a time.
 */
final class MetricsEndpoint implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
  private static final String PATH = "/metrics";

  /** More than one, so that a scraper that does not read holds up no other. */
  static final int THREADS = 4;

  static {
    // Without these limits, a client that sends half a request, or does not read, would keep a
    // thread. The JDK's server has no other setting for them, and reads these at its first use.
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

  /** Starts to listen; port 0 takes a free one. */
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
      LOG.debug(
          "{} did not read the metrics that it asked for: {}",
          exchange.getRemoteAddress(),
          e.toString());
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
   * Collects the values of one scrape in the form of Prometheus' library.
   *
   * <p>Thread contract: one thread.
   */
  static final class PrometheusSnapshots implements MetricSink {
    /** The library appends it to the name of a counter itself. */
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

    /** The builder that this metric has already, or else the given one. */
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
