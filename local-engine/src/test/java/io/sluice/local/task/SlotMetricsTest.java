package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import io.sluice.local.loader.ClassCaches;
import io.sluice.local.loader.SlotLoader;
import io.sluice.local.task.TaskLoaders.SlotMetrics;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class SlotMetricsTest {
  /** With annotations, as most of Hadoop's own are. */
  private static final String ANNOTATED =
      """
      package q;
      import org.apache.hadoop.metrics2.annotation.*;
      import org.apache.hadoop.metrics2.lib.*;
      @Metrics(context = "brought")
      public class Source {
        @Metric MutableCounterLong rows;
        static { DefaultMetricsSystem.instance().register("%s", "it", new Source()); }
      }
      """;

  private static final String SOURCE = "q.Source";

  private static final String IMPLEMENTED =
      """
      package q;
      import org.apache.hadoop.metrics2.*;
      import org.apache.hadoop.metrics2.lib.*;
      public class Source implements MetricsSource {
        static { DefaultMetricsSystem.instance().register("%s", "it", new Source()); }
        @Override public void getMetrics(MetricsCollector collector, boolean all) {}
      }
      """;

  @TempDir private Path directory;
  private final MetricsSystem system = new MetricsSystemImpl("test");
  private MetricsSystem before;

  @BeforeEach
  void begin() {
    before = DefaultMetricsSystem.setInstance(system);
    SlotMetrics.shareNames();
  }

  @AfterEach
  void end() {
    system.shutdown();
    DefaultMetricsSystem.setInstance(before);
  }

  /** No other test's: the process counts them. */
  private String name() {
    return directory.getFileName().toString();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSourceGoesWithItsSlot(boolean isAnnotated) throws Exception {
    try (URLClassLoader client = client(isAnnotated)) {
      isLetGo(used(client, name()));
    }
  }

  /** The client's has the name, and another of the slot's. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theClientsStaysInASystemThatIsStarted(boolean isAnnotated) throws Exception {
    system.init("test");
    try (URLClassLoader client = client(isAnnotated)) {
      Class.forName(SOURCE, true, client);
      MetricsSource clients = system.getSource(name());
      isLetGo(used(client, name() + "-1"));
      assertNotNull(clients);
      assertSame(clients, system.getSource(name()));
    }
  }

  private URLClassLoader client(boolean isAnnotated) throws IOException {
    String source = (isAnnotated ? ANNOTATED : IMPLEMENTED).formatted(name());
    return CompiledClasses.of(directory, Map.of("Source", source));
  }

  private WeakReference<ClassLoader> used(ClassLoader client, String name) throws Exception {
    Configuration job = new Configuration(false);
    job.setClassLoader(client);
    SlotLoader slot = new SlotLoader(job);
    Class.forName(SOURCE, true, slot);
    assertNotNull(system.getSource(name));
    SlotMetrics.forget(Set.of(slot));
    ClassCaches.forget(Set.of(slot));
    assertNull(system.getSource(name));
    return new WeakReference<>(slot);
  }

  private static void isLetGo(WeakReference<ClassLoader> slot) {
    long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (slot.get() != null) {
      assertTrue(System.nanoTime() < deadlineNs, "the slot's classes are still there");
      System.gc();
    }
  }
}
