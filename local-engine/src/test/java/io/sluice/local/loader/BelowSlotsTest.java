package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.WritableName;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A task whose program has made a class loader of its own, as Groovy's, Pig's and Hive's do. */
@Timeout(300)
class BelowSlotsTest {
  private static final String NAMED =
      """
      package q;
      import java.io.*;
      import org.apache.hadoop.io.*;
      public class Named implements Writable {
        static { WritableName.addName(Named.class, "q.before"); }
        @Override public void write(DataOutput out) {}
        @Override public void readFields(DataInput in) {}
      }
      """;

  private static final String KEY =
      """
      package r;
      import java.io.*;
      import org.apache.hadoop.io.*;
      public class Key implements WritableComparable<Key> {
        static {
          WritableComparator.define(Key.class, new WritableComparator(Key.class) {});
          WritableName.setName(Key.class, "r.before");
          WritableFactories.setFactory(Key.class, Key::new);
        }
        @Override public void write(DataOutput out) {}
        @Override public void readFields(DataInput in) {}
        @Override public int compareTo(Key other) { return 0; }
      }
      """;

  @TempDir private Path directory;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void goBack() {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static SlotLoader slot(ClassLoader program) {
    Configuration job = new Configuration();
    job.set("io.serializations", "org.apache.hadoop.io.serializer.JavaSerialization");
    job.setClassLoader(program);
    return new SlotLoader(job);
  }

  private static void workBelow(SlotLoader slot) {
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], slot));
  }

  @Test
  void findsClassesByTheNamesThatItsSlotHasGivenThem() throws Exception {
    try (URLClassLoader program = CompiledClasses.of(directory, Map.of("Named", NAMED))) {
      SlotLoader slot = slot(program);
      Class<?> named = Class.forName("q.Named", true, slot);
      workBelow(slot);
      assertSame(named, WritableName.getClass("q.before", new Configuration(false)));
    }
  }

  @Test
  void findsItsSlotsClassesByTheNamesThatItsClientHasGivenThem() throws Exception {
    try (URLClassLoader program = CompiledClasses.of(directory, Map.of("Named", NAMED))) {
      Class.forName("q.Named", true, program);
      SlotLoader slot = slot(program);
      workBelow(slot);
      assertSame(
          slot.loadClass("q.Named"), WritableName.getClass("q.before", new Configuration(false)));
    }
  }

  @Test
  void copiesByTheSerializationsOfItsSlotsJob() throws Exception {
    workBelow(slot(getClass().getClassLoader()));
    assertEquals("all", ReflectionUtils.copy(new Configuration(), "all", ""));
  }

  @Test
  void leavesNothingOfItsClassesThere() throws Exception {
    WeakReference<ClassLoader> used = used();
    long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (used.get() != null) {
      assertTrue(System.nanoTime() < deadlineNs, "its classes are still there");
      System.gc();
    }
  }

  private WeakReference<ClassLoader> used() throws Exception {
    Path own = Files.createDirectory(directory.resolve("own"));
    CompiledClasses.of(own, Map.of("Key", KEY)).close();
    SlotLoader slot = slot(getClass().getClassLoader());
    URL[] classes = {own.resolve("classes").toUri().toURL()};
    try (URLClassLoader below = new URLClassLoader(classes, slot)) {
      Object key = Class.forName("r.Key", true, below).getConstructor().newInstance();
      ReflectionUtils.newInstance(key.getClass(), null);
      ClassCaches.forget(Set.of(slot));
    }
    return new WeakReference<>(slot);
  }
}
