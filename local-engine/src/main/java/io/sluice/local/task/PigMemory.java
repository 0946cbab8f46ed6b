package io.sluice.local.task;

import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pig's classes ask the JVM to be told when memory is short, and never take that back: they would
 * stay for ever with all that they have loaded.
 *
 * <p>Thread contract: safe from any thread.
 */
final class PigMemory {
  private static final Logger LOG = LoggerFactory.getLogger(PigMemory.class);
  private static final String MANAGER = "org.apache.pig.impl.util.SpillableMemoryManager";

  private PigMemory() {}

  /** Takes it back for what those have loaded. */
  static void stopWatching(List<? extends ClassLoader> loaders) {
    for (ClassLoader loader : loaders) {
      try {
        Class<?> manager = Class.forName(MANAGER, false, loader);
        if (manager.getClassLoader() == loader) {
          ((NotificationEmitter) ManagementFactory.getMemoryMXBean())
              .removeNotificationListener(
                  (NotificationListener) manager.getMethod("getInstance").invoke(null));
        }
      } catch (ClassNotFoundException e) {
        // not a job of Pig
      } catch (ReflectiveOperationException | ListenerNotFoundException e) {
        LOG.warn("Classes of this release of Pig stay in memory", e);
      }
    }
  }
}
