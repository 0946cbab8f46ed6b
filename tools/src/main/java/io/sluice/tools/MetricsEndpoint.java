package io.sluice.tools;

import com.sun.net.httpserver.Headers;
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
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a service's metrics to Prometheus at {@code /metrics}, and at {@code /healthz} whether the
 * service can serve.
 *
 * <p>It answers in one of Prometheus' two text formats. It does not use the HTTP server of
 * Prometheus' library: that one also offers the binary format, and fails without all of protobuf.
 *
 * <p>Thread contract: safe from any thread; {@value #THREADS} threads of its own answer. Some of
 * them never wait for metrics, so that {@code /healthz} answers where metrics hang. Ownership: the
 * opener tells it before the service stops, and closes it after that. Failure: {@link IOException}
 * if it cannot listen. A failed request is logged and answered with status 500. The connection of a
 * client that sends half a request, or does not read the answer, is closed after a time.
 */
final class MetricsEndpoint implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
  private static final String METRICS = "/metrics";
  static final String HEALTH = "/healthz";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** More than one, so that a scraper that does not read holds up no other. */
  static final int THREADS = 16;

  /** Scrapes at a time, until they are read: the other threads are for whoever asks for health. */
  static final int SCRAPES = 4;

  static {
    // Without these limits, a client that sends half a request, or does not read, would keep a
    // thread. The JDK's server has no other setting for them, and reads these at its first use.
    System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", "5"); // seconds
    System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", "30");
  }

  private final Consumer<MetricSink> metrics;
  private final HealthCheck health;
  private final HttpServer server;
  private final Semaphore scrapes = new Semaphore(SCRAPES);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, body -> DaemonThreads.create("sluice-metrics", body));
  private final ExpositionFormatWriter plain;
  private final ExpositionFormatWriter open;
  private volatile boolean isStopping;

  /** An answer that is not sent yet. */
  private record Answer(int status, String type, ByteArrayOutputStream body) {
    /** A line for people. */
    static Answer text(int status, String line) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      body.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
      return new Answer(status, TEXT, body);
    }
  }

  private MetricsEndpoint(Consumer<MetricSink> metrics, HealthCheck health, HttpServer server) {
    this.metrics = metrics;
    this.health = health;
    this.server = server;
    ExpositionFormats formats = ExpositionFormats.init();
    this.plain = formats.getPrometheusTextFormatWriter();
    this.open = formats.getOpenMetricsTextFormatWriter();
    server.createContext("/", this::answer);
    server.setExecutor(threads);
  }

  /**
   * Starts to listen; port 0 takes a free one.
   *
   * @param metrics tells a sink what the service says now
   */
  static MetricsEndpoint open(
      Consumer<MetricSink> metrics, HealthCheck health, InetAddress address, int port)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(address, port), 0);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen for metrics at " + address + " port " + port + ": " + ErrorText.of(e), e);
    }
    MetricsEndpoint endpoint = new MetricsEndpoint(metrics, health, server);
    server.start();
    return endpoint;
  }

  private void answer(HttpExchange exchange) {
    boolean isScrape = exchange.getRequestURI().getPath().equals(METRICS);
    boolean isRefused = isScrape && !scrapes.tryAcquire();
    try (exchange) {
      Answer answer =
          isRefused
              ? Answer.text(
                  HttpURLConnection.HTTP_UNAVAILABLE,
                  SCRAPES + " requests for metrics are not answered yet")
              : answerTo(exchange);
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Type", answer.type());
      headers.set("Content-Length", Integer.toString(answer.body().size())); // for HEAD
      exchange.sendResponseHeaders(answer.status(), isHead ? -1 : answer.body().size());
      if (!isHead) {
        answer.body().writeTo(exchange.getResponseBody());
      }
    } catch (IOException e) {
      LOG.debug("{} did not read what it asked for: {}", exchange.getRemoteAddress(), e.toString());
    } finally {
      if (isScrape && !isRefused) {
        scrapes.release();
      }
    }
  }

  private Answer answerTo(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    if (!path.equals(METRICS) && !path.equals(HEALTH)) {
      return Answer.text(
          HttpURLConnection.HTTP_NOT_FOUND, "there are " + METRICS + " and " + HEALTH);
    }
    if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return Answer.text(HttpURLConnection.HTTP_BAD_METHOD, "only GET and HEAD");
    }
    if (isStopping) { // its parts must not be looked at any more
      return Answer.text(HttpURLConnection.HTTP_UNAVAILABLE, "the service is stopping");
    }
    return path.equals(HEALTH) ? health() : scrape(exchange);
  }

  private Answer health() {
    return health
        .trouble()
        .map(why -> Answer.text(HttpURLConnection.HTTP_UNAVAILABLE, why))
        .orElseGet(() -> Answer.text(HttpURLConnection.HTTP_OK, "serving"));
  }

  private Answer scrape(HttpExchange exchange) {
    try {
      ExpositionFormatWriter format =
          open.accepts(exchange.getRequestHeaders().getFirst("Accept")) ? open : plain;
      PrometheusSnapshots snapshots = new PrometheusSnapshots();
      metrics.accept(snapshots);
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      format.write(body, snapshots.build());
      return new Answer(HttpURLConnection.HTTP_OK, format.getContentType(), body);
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.error(LOG, "A request for metrics from {} failed", exchange.getRemoteAddress(), e);
      return Answer.text(
          HttpURLConnection.HTTP_INTERNAL_ERROR, "the metrics failed; the service's log says why");
    }
  }

  /** The service is about to stop: from now on nothing here looks at it. */
  void stopping() {
    isStopping = true;
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
