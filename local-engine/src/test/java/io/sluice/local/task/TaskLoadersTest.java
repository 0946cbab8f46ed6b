package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import io.sluice.local.conf.Isolation;
import java.lang.ref.WeakReference;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class TaskLoadersTest {
  private static final int MOST_COLLECTIONS = 20;
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

  @TempDir private Path directory;

  /** Names a comparator for itself, as Pig's values do; of a package that is the process's. */
  private static final String COMPARES =
      """
      package org.apache.hadoop.brought;
      import java.io.*;
      import org.apache.hadoop.io.*;
      public class Value implements WritableComparable<Value> {
        static { WritableComparator.define(Value.class, new WritableComparator(Value.class) {}); }
        @Override public void write(DataOutput out) {}
        @Override public void readFields(DataInput in) {}
        @Override public int compareTo(Value other) { return 0; }
      }
      """;

  private static final String VALUE = "org.apache.hadoop.brought.Value";

  private URLClassLoader pig() throws Exception {
    return CompiledClasses.of(
        directory, Map.of("SpillableMemoryManager", LISTENS, "Value", COMPARES));
  }

  private static JobConf job(ClassLoader loader) {
    JobConf job = new JobConf(false);
    job.setClassLoader(loader);
    job.set("mapreduce.job.map.class", Test.class.getName()); // it need not be one
    return job;
  }

  @Test
  void eachHasTheJobsClassesAndThoseBesideItsPrograms() throws Exception {
    try (URLClassLoader brought = pig();
        TaskLoaders loaders = TaskLoaders.of(job(brought), Isolation.PROGRAM_CLASSES)) {
      ClassLoader one = loaders.take();
      ClassLoader other = loaders.take();
      assertNotSame(one.loadClass(MANAGER), other.loadClass(MANAGER));
      assertNotSame(one.loadClass(VALUE), other.loadClass(VALUE));
      assertNotSame(Test.class, one.loadClass(Test.class.getName()));
      assertSame(Configuration.class, one.loadClass(Configuration.class.getName()));
      assertSame(TaskLoaders.class, one.loadClass(TaskLoaders.class.getName()));
    }
  }

  @Test
  void oneIsUsedAgainUnlessItsTaskHasFailed() throws Exception {
    try (URLClassLoader brought = pig();
        TaskLoaders loaders = TaskLoaders.of(job(brought), Isolation.JOB_CLASSES)) {
      ClassLoader one = loaders.take();
      loaders.giveBack(one, false);
      assertSame(one, loaders.take());
      loaders.giveBack(one, true);
      assertNotSame(one, loaders.take());
      assertThrows(ClassNotFoundException.class, () -> one.loadClass(VALUE), "it is closed");
    }
  }

  /** As where jobs are submitted by somebody whose loader has less than the engine's. */
  @Test
  void aJobMayBringNothing() throws Exception {
    for (ClassLoader each = TaskLoaders.class.getClassLoader();
        each != null;
        each = each.getParent()) {
      try (TaskLoaders loaders = TaskLoaders.of(job(each), Isolation.JOB_CLASSES)) {
        assertSame(TaskLoaders.class, loaders.take().loadClass(TaskLoaders.class.getName()));
      }
    }
  }

  @Test
  void oneThatIsInUseIsClosedWhenItsTaskEnds() throws Exception {
    try (URLClassLoader brought = pig()) {
      TaskLoaders loaders = TaskLoaders.of(job(brought), Isolation.JOB_CLASSES);
      ClassLoader used = loaders.take();
      loaders.close();
      used.loadClass(MANAGER);
      loaders.giveBack(used, false);
      assertThrows(ClassNotFoundException.class, () -> used.loadClass(VALUE));
    }
  }

  @Test
  void whatTheProcessKeepsOfItsClassesIsLetGo() throws Exception {
    WeakReference<ClassLoader> used = used();
    for (int collections = 0; used.get() != null; collections++) {
      assertTrue(collections < MOST_COLLECTIONS, "its classes are still there");
      System.gc();
    }
  }

  private WeakReference<ClassLoader> used() throws Exception {
    try (URLClassLoader brought = pig();
        TaskLoaders loaders = TaskLoaders.of(job(brought), Isolation.PROGRAM_CLASSES)) {
      ClassLoader loader = loaders.take();
      Class.forName(MANAGER, true, loader);
      ReflectionUtils.newInstance(Class.forName(VALUE, true, loader), null);
      loaders.giveBack(loader, false);
      return new WeakReference<>(loader);
    }
  }
}
