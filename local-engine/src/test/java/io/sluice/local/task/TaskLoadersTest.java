package io.sluice.local.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.conf.Isolation;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
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

  private URLClassLoader pig() throws Exception {
    Path source = directory.resolve("SpillableMemoryManager.java");
    Files.writeString(source, LISTENS);
    String classes = directory.resolve("classes").toString();
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes, source.toString()));
    return new URLClassLoader(
        new URL[] {Path.of(classes).toUri().toURL()}, ClassLoader.getSystemClassLoader());
  }

  @Test
  void eachHasAllClassesButTheProcesss() throws Exception {
    JobConf job = new JobConf(false);
    try (URLClassLoader brought = pig()) {
      job.setClassLoader(brought);
      try (TaskLoaders loaders = TaskLoaders.of(job, Isolation.ALL_CLASSES)) {
        ClassLoader one = loaders.take();
        ClassLoader other = loaders.take();
        assertNotSame(one.loadClass(MANAGER), other.loadClass(MANAGER));
        assertNotSame(Test.class, one.loadClass(Test.class.getName()));
        assertSame(Configuration.class, one.loadClass(Configuration.class.getName()));
        assertSame(TaskLoaders.class, one.loadClass(TaskLoaders.class.getName()));
        loaders.giveBack(one);
        assertSame(one, loaders.take());
        loaders.giveBack(one);
        loaders.giveBack(other);
      }
    }
  }

  @Test
  void whatListensToTheJvmIsLetGo() throws Exception {
    WeakReference<ClassLoader> used = used();
    for (int collections = 0; used.get() != null; collections++) {
      assertTrue(collections < MOST_COLLECTIONS, "its classes are still there");
      System.gc();
    }
  }

  private WeakReference<ClassLoader> used() throws Exception {
    JobConf job = new JobConf(false);
    try (URLClassLoader brought = pig()) {
      job.setClassLoader(brought);
      try (TaskLoaders loaders = TaskLoaders.of(job, Isolation.ALL_CLASSES)) {
        ClassLoader loader = loaders.take();
        Class.forName(MANAGER, true, loader);
        loaders.giveBack(loader);
        return new WeakReference<>(loader);
      }
    }
  }
}
