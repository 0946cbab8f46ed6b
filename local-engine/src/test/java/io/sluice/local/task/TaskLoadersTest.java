package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import java.lang.ref.WeakReference;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class TaskLoadersTest {
  private static final String MANAGER = "org.apache.pig.impl.util.SpillableMemoryManager";

  /** Asks the JVM to be told of its memory, as Pig's class of this name does. */
  private static final String LISTENS =
      """
      package org.apache.pig.impl.util;
      import java.lang.management.ManagementFactory;
      import javax.management.*;
      public class SpillableMemoryManager implements NotificationListener {
        private static final SpillableMemoryManager HERE = new SpillableMemoryManager();
        private SpillableMemoryManager() {
          ((NotificationEmitter) ManagementFactory.getMemoryMXBean())
              .addNotificationListener(this, null, null);
        }
        public static SpillableMemoryManager getInstance() { return HERE; }
        @Override public void handleNotification(Notification n, Object o) {}
      }
      """;

  /** Registers all that Hadoop keeps of a class; in a package of Hadoop's. */
  private static final String REGISTERS =
      """
      package org.apache.hadoop.io.brought;
      import java.io.*;
      import org.apache.hadoop.io.*;
      public class Value implements WritableComparable<Value> {
        static {
          WritableComparator.define(Value.class, new WritableComparator(Value.class) {});
          WritableName.addName(Value.class, "old.Value");
          WritableName.setName(Value.class, "older.Value");
          WritableFactories.setFactory(Value.class, Value::new);
        }
        @Override public void write(DataOutput out) {}
        @Override public void readFields(DataInput in) {}
        @Override public int compareTo(Value other) { return 0; }
      }
      """;

  private static final String SOURCE =
      """
      package brought;
      import org.apache.hadoop.metrics2.*;
      import org.apache.hadoop.metrics2.lib.*;
      public class Source implements MetricsSource {
        static { DefaultMetricsSystem.instance().register("Brought", "it", new Source()); }
        @Override public void getMetrics(MetricsCollector collector, boolean all) {}
      }
      """;

  private static final String VALUE = "org.apache.hadoop.io.brought.Value";

  @TempDir private Path directory;

  private URLClassLoader brought() throws Exception {
    return CompiledClasses.of(
        directory, Map.of("SpillableMemoryManager", LISTENS, "Value", REGISTERS));
  }

  private static JobConf job(ClassLoader loader, String isolation) {
    JobConf job = new JobConf(false);
    job.setClassLoader(loader);
    job.set("sluice.local.isolation", isolation);
    return job;
  }

  @Test
  void eachHasClassesOfItsOwnButJavasHadoopsAndSluices() throws Exception {
    try (URLClassLoader brought = brought();
        TaskLoaders loaders = new TaskLoaders(job(brought, "slot"))) {
      ClassLoader one = loaders.take();
      ClassLoader other = loaders.take();
      for (String own : new String[] {MANAGER, VALUE, Test.class.getName()}) {
        assertNotSame(one.loadClass(own), other.loadClass(own));
        assertNotSame(brought.loadClass(own), one.loadClass(own));
        assertSame(one, one.loadClass(own).getClassLoader());
        assertEquals(
            brought.loadClass(own).getProtectionDomain().getCodeSource().getLocation(),
            one.loadClass(own).getProtectionDomain().getCodeSource().getLocation());
        assertEquals(
            brought.loadClass(own).getPackage().getImplementationVersion(),
            one.loadClass(own).getPackage().getImplementationVersion());
      }
      for (Class<?> shared :
          new Class<?>[] {Configuration.class, TaskLoaders.class, String.class}) {
        assertSame(shared, one.loadClass(shared.getName()));
      }
      assertEquals(brought.getResource("core-default.xml"), one.getResource("core-default.xml"));
    }
  }

  @Test
  void oneIsUsedAgainUnlessItsTaskHasFailed() throws Exception {
    try (TaskLoaders loaders = new TaskLoaders(job(getClass().getClassLoader(), "slot"))) {
      ClassLoader one = loaders.take();
      loaders.giveBack(one, false);
      assertSame(one, loaders.take());
      loaders.giveBack(one, true);
      assertNotSame(one, loaders.take());
    }
  }

  @Test
  void noneIsUsedAgainWhereEachTaskHasItsOwn() throws Exception {
    try (TaskLoaders loaders = new TaskLoaders(job(getClass().getClassLoader(), "task"))) {
      ClassLoader one = loaders.take();
      loaders.giveBack(one, false);
      assertNotSame(one, loaders.take());
    }
  }

  @Test
  void allHaveTheJobsWhereNothingIsIsolated() throws Exception {
    try (TaskLoaders loaders = new TaskLoaders(job(getClass().getClassLoader(), "none"))) {
      assertSame(getClass().getClassLoader(), loaders.take());
      loaders.giveBack(loaders.take(), true);
    }
  }

  /** As where jobs are submitted by somebody whose loader has less than the engine's. */
  @Test
  void aJobMayBringNothing() throws Exception {
    ClassLoader javas = ClassLoader.getPlatformClassLoader();
    try (TaskLoaders loaders = new TaskLoaders(job(javas, "slot"))) {
      assertSame(TaskLoaders.class, loaders.take().loadClass(TaskLoaders.class.getName()));
    }
  }

  @Test
  void causesMayGoRoundInACircle() {
    Exception one = new Exception("one");
    one.initCause(new Exception("other", one));
    assertNull(TaskLoaders.advice(one));
  }

  @ParameterizedTest
  @CsvSource({
    "Metaspace, -XX:MaxMetaspaceSize",
    "Compressed class space, -XX:CompressedClassSpaceSize",
    "Metaspace, sluice.local.isolation=none",
    "Native Library /lib/a.so already loaded in another classloader, sluice.local.isolation=none",
    "factory already defined, sluice.local.map-threads"
  })
  void whatComesOfManyClassesSaysWhatToDo(String error, String expected) {
    Exception failure = new Exception("wrapped", new IllegalStateException(new Error(error)));
    assertTrue(TaskLoaders.advice(failure).contains(expected), TaskLoaders.advice(failure));
    assertNull(TaskLoaders.advice(new Exception(error)));
    assertNull(TaskLoaders.advice(new OutOfMemoryError("Java heap space")));
  }

  @Test
  void whatTheProcessKeepsOfItsClassesIsLetGo() throws Exception {
    awaitGone(used());
  }

  private static void awaitGone(WeakReference<ClassLoader> used) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (used.get() != null) {
      assertTrue(System.nanoTime() < deadlineNanos, "its classes are still there");
      System.gc();
    }
  }

  /** Its metrics system has the source of a slot until it is told a second time. */
  private static final class FailingMetrics extends MetricsSystemImpl {
    private boolean failed;

    @Override
    public synchronized void unregisterSource(String name) {
      if (!failed) {
        failed = true;
        throw new IllegalStateException("not now");
      }
      super.unregisterSource(name);
    }
  }

  @Test
  void classesAreLetGoAlsoIfTheirMetricsAreNot() throws Exception {
    FailingMetrics metrics = new FailingMetrics();
    MetricsSystem before = DefaultMetricsSystem.setInstance(metrics);
    try {
      WeakReference<ClassLoader> used = failedToForget();
      metrics.unregisterSource("Brought");
      awaitGone(used);
    } finally {
      DefaultMetricsSystem.setInstance(before);
    }
  }

  private WeakReference<ClassLoader> failedToForget() throws Exception {
    try (URLClassLoader brought =
        CompiledClasses.of(directory, Map.of("Value", REGISTERS, "Source", SOURCE))) {
      TaskLoaders loaders = new TaskLoaders(job(brought, "slot"));
      ClassLoader loader = loaders.take();
      Class.forName(VALUE, true, loader);
      Class.forName("brought.Source", true, loader);
      loaders.giveBack(loader, false);
      assertThrows(IllegalStateException.class, loaders::close);
      return new WeakReference<>(loader);
    }
  }

  private WeakReference<ClassLoader> used() throws Exception {
    try (URLClassLoader brought = brought();
        TaskLoaders loaders = new TaskLoaders(job(brought, "slot"))) {
      ClassLoader loader = loaders.take();
      Class.forName(MANAGER, true, loader);
      ReflectionUtils.newInstance(Class.forName(VALUE, true, loader), null);
      loaders.giveBack(loader, false);
      return new WeakReference<>(loader);
    }
  }
}
