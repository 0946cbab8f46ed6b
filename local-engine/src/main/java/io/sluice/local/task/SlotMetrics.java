package io.sluice.local.task;

import io.sluice.local.loader.SlotOwners;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.MetricsSourceBuilder;

/**
 * Sources of metrics that programs register with Hadoop's metrics system, of which a process has
 * one. A class registers its source once, so each slot does, and Hadoop refuses a name that is
 * taken: HBase's file format does not work in a second slot. As in Hadoop's clusters in one
 * process, a name that is taken gets a number.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} if this release of Hadoop
 * keeps its sources elsewhere; they stay then, and their classes with them.
 */
final class SlotMetrics {
  private SlotMetrics() {}

  /** From now on a name may be registered in each slot. */
  static void shareNames() {
    DefaultMetricsSystem.setMiniClusterMode(true);
  }

  /** Unregisters all sources whose classes are of these loaders. */
  static void forget(Set<? extends ClassLoader> loaders) throws IOException {
    MetricsSystem system = DefaultMetricsSystem.instance();
    if (!(system instanceof MetricsSystemImpl)) {
      return; // a program has put its own there
    }
    try {
      Field sources = MetricsSystemImpl.class.getDeclaredField("allSources");
      sources.setAccessible(true);
      List<Runnable> ends = new ArrayList<>();
      synchronized (system) { // which guards them
        for (Map.Entry<?, ?> each : ((Map<?, ?>) sources.get(system)).entrySet()) {
          if (SlotOwners.haveMade(loaders, registered(each.getValue()))) {
            String name = (String) each.getKey();
            ends.add(() -> system.unregisterSource(name));
          }
        }
      }
      Closer.all(ends.stream());
    } catch (ReflectiveOperationException e) {
      throw new IOException("this release of Hadoop does not forget sources of metrics", e);
    }
  }

  /** What a program has registered: Hadoop makes a source of an object that has annotations. */
  private static Object registered(Object source) throws ReflectiveOperationException {
    if (source.getClass().getEnclosingClass() != MetricsSourceBuilder.class) {
      return source;
    }
    Field builder = source.getClass().getDeclaredField("this$0");
    builder.setAccessible(true);
    Field annotated = MetricsSourceBuilder.class.getDeclaredField("source");
    annotated.setAccessible(true);
    return annotated.get(builder.get(source));
  }
}
