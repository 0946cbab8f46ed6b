package io.sluice.local.loader;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableFactories;
import org.apache.hadoop.io.WritableFactory;
import org.apache.hadoop.io.WritableName;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes classes of ended loaders from caches of the process, which would keep their class loader.
 * Hadoop caches constructors, and keeps what classes register in its static maps. The JVM keeps the
 * memory listener of Pig's classes.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ClassCaches {
  private static final Logger LOG = LoggerFactory.getLogger(ClassCaches.class);
  private static final String PIGS_MEMORY = "org.apache.pig.impl.util.SpillableMemoryManager";

  private ClassCaches() {}

  /**
   * Removes the classes of these loaders from Hadoop's and the JVM's static state.
   *
   * @throws IOException if this release of Hadoop has other caches
   */
  public static void forget(Set<? extends ClassLoader> loaders) throws IOException {
    loaders.forEach(ClassCaches::stopListening);
    forgetLocalDirectories();
    try {
      removeKeys(WritableComparator.class, "comparators", loaders);
      removeKeys(WritableFactories.class, "CLASS_TO_FACTORY", loaders);
      putBack(loaders);
      removeKeys(CodecPool.class, "compressorPool", loaders);
      removeKeys(CodecPool.class, "decompressorPool", loaders);
      removeKeys(AbstractFileSystem.class, "CONSTRUCTOR_CACHE", loaders);
      remove(counts("compressorCounts").keySet(), loaders);
      remove(counts("decompressorCounts").keySet(), loaders);
      removeKeys(WritableName.class, "CLASS_TO_NAME", loaders);
      synchronized (WritableName.class) {
        remove(map(WritableName.class, "NAME_TO_CLASS").values(), loaders);
      }
      Method clear = ReflectionUtils.class.getDeclaredMethod("clearCache");
      clear.setAccessible(true);
      clear.invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IOException("the caches of this release of Hadoop cannot be cleared", e);
    }
  }

  /** Hadoop caches the last file system of local directories, and with it settings. */
  @SuppressWarnings("deprecation") // there is no other way
  private static void forgetLocalDirectories() {
    LocalDirAllocator.removeContext(MRConfig.LOCAL_DIR);
  }

  /** Restores what these loaders have replaced for classes of other loaders. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // as Hadoop declares it
  private static void putBack(Set<? extends ClassLoader> loaders)
      throws ReflectiveOperationException {
    synchronized (SlotComparators.class) {
      Map<?, ?> all = map(WritableComparator.class, "comparators");
      for (Object key : List.copyOf(all.keySet())) {
        ((Map<Class, WritableComparator>) all)
            .computeIfPresent(
                (Class<?>) key, (of, now) -> SlotComparators.without(loaders, of, now));
      }
    }
    synchronized (SlotFactories.class) {
      Map<?, ?> all = map(WritableFactories.class, "CLASS_TO_FACTORY");
      for (Object key : List.copyOf(all.keySet())) {
        ((Map<Class, WritableFactory>) all)
            .computeIfPresent((Class<?>) key, (made, now) -> SlotFactories.without(loaders, now));
      }
    }
  }

  private static void removeKeys(Class<?> registry, String name, Set<? extends ClassLoader> loaders)
      throws ReflectiveOperationException {
    Map<?, ?> map = map(registry, name);
    synchronized (map) {
      synchronized (registry) { // each registry locks either its map or its class
        remove(map.keySet(), loaders);
      }
    }
  }

  /** The counts of a codec pool. Their type is a cache of a library that Hadoop relocates. */
  private static Map<?, ?> counts(String name) throws ReflectiveOperationException {
    Field field = CodecPool.class.getDeclaredField(name);
    field.setAccessible(true);
    return (Map<?, ?>) field.getType().getMethod("asMap").invoke(field.get(null));
  }

  private static Map<?, ?> map(Class<?> registry, String name) throws ReflectiveOperationException {
    Field field = registry.getDeclaredField(name);
    field.setAccessible(true);
    return (Map<?, ?>) field.get(null);
  }

  private static void remove(Collection<?> classes, Set<? extends ClassLoader> loaders) {
    classes.removeIf(of -> SlotOwners.have(loaders, (Class<?>) of));
  }

  private static void stopListening(ClassLoader loader) {
    try {
      Class<?> manager = Class.forName(PIGS_MEMORY, false, loader);
      if (manager.getClassLoader() == loader) {
        ((NotificationEmitter) ManagementFactory.getMemoryMXBean())
            .removeNotificationListener(
                (NotificationListener) manager.getMethod("getInstance").invoke(null));
      }
    } catch (ClassNotFoundException e) {
      LOG.debug("Not a job of Pig", e);
    } catch (ReflectiveOperationException
        | ListenerNotFoundException
        | RuntimeException
        | LinkageError e) {
      LOG.warn(
          "Classes of Pig stay in memory, because its memory listener could not be removed", e);
    }
  }
}
