package io.sluice.spark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.sluice.spark.report.ExecutorReport.TierUse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ExecutorReporterTest {
  private static final ExecutorReport REPORT =
      new ExecutorReport(
          "1",
          "host",
          1,
          "none",
          List.of(),
          TierUse.NONE,
          TierUse.NONE,
          0,
          0,
          Map.of(),
          Map.of(),
          TierUse.NONE,
          0);

  private final LinkedBlockingQueue<Object> sent = new LinkedBlockingQueue<>();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private final AtomicInteger made = new AtomicInteger();

  /** Of the plugin on an executor; it keeps what is sent to the driver. */
  private final PluginContext context =
      new PluginContext() {
        @Override
        public MetricRegistry metricRegistry() {
          throw new UnsupportedOperationException();
        }

        @Override
        public SparkConf conf() {
          throw new UnsupportedOperationException();
        }

        @Override
        public String executorID() {
          return "1";
        }

        @Override
        public String hostname() {
          return "host";
        }

        @Override
        public Map<String, ResourceInformation> resources() {
          return Map.of();
        }

        @Override
        public void send(Object message) {
          sent.add(message);
        }

        @Override
        public Object ask(Object message) {
          throw new UnsupportedOperationException();
        }
      };

  private ExecutorReport hang() {
    hangs.countDown();
    made.incrementAndGet();
    try {
      goesOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return REPORT;
  }

  /** Such as that of a pool whose disk does not answer. */
  @Test
  void whileAReportHangsTheEndsOfTasksMakeNoMoreOfThem() throws Exception {
    try (ExecutorReporter reporter = ExecutorReporter.start(context, this::hang)) {
      hangs.await();
      long startNs = System.nanoTime();
      for (int tasks = 0;
          tasks < 1_000 || System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(1);
          tasks++) {
        reporter.taskBegan();
        reporter.taskEnded();
      }
      assertEquals(1, made.get());
      goesOn.countDown();
      sent.take();
    }
    assertTrue(made.get() <= 4, made + " reports: the first, an awaited, a later, and the last");
  }
}
