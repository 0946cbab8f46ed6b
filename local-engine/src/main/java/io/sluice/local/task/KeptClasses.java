package io.sluice.local.task;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process keeps of classes for ever, and with them their loader: Hadoop the constructor of
 * every class that it has made something of, and each comparator that a class has named for itself;
 * the JVM what Pig's classes have asked it to tell when memory is short.
 *
 * <p>Thread contract: safe from any thread.
 */
final class KeptClasses {
  private static final Logger LOG = LoggerFactory.getLogger(KeptClasses.class);
  private static final String PIGS_MEMORY = "org.apache.pig.impl.util.SpillableMemoryManager";

  private KeptClasses() {}

  /**
   * Has it let go of what those have loaded.
   *
   * @throws IOException if this release of Hadoop keeps its own elsewhere
   */
  static void forget(Set<? extends ClassLoader> loaders) throws IOException {
    loaders.forEach(KeptClasses::stopListening);
    try {
      Field comparators = WritableComparator.class.getDeclaredField("comparators");
      comparators.setAccessible(true);
      ((Map<?, ?>) comparators.get(null))
          .keySet()
          .removeIf(of -> loaders.contains(((Class<?>) of).getClassLoader()));
      Method clear = ReflectionUtils.class.getDeclaredMethod("clearCache");
      clear.setAccessible(true);
      clear.invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop does not forget classes", e);
    }
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
      LOG.warn("Classes of this release of Pig stay in memory", e);
    }
  }
}
