package io.sluice.local.task;

import io.sluice.local.conf.LocalSettings.Isolation;
import io.sluice.local.loader.ClassCaches;
import io.sluice.local.loader.SlotLoader;
import io.sluice.local.loader.SlotOwners;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.MetricsSourceBuilder;

/**
 * Class loaders for the maps of a job, or for its reduces. By the job's isolation there is one for
 * each task at a time, one for each attempt, or the job's for all.
 *
 * <p>Thread contract: safe from any thread. Ownership: its creator closes it after the tasks; an
 * abandoned attempt keeps its loader until it ends. Failure: {@link IOException} if Hadoop's caches
 * cannot be cleared; the classes then stay in memory.
 */
final class TaskLoaders implements Closeable {
  private static final String ONCE =
      "the program does something that Java allows once in a process, and another slot or the"
          + " client has done it already: set sluice.local.isolation=none, and set"
          + " sluice.local.map-threads and sluice.local.reduce-threads to 1";
  private static final String FULL =
      "the process has no memory for more classes, and each slot has its own copies: raise"
          + " -XX:MaxMetaspaceSize and -XX:CompressedClassSpaceSize if they are set; or lower"
          + " sluice.local.map-threads, sluice.local.sort-threads and sluice.local.reduce-threads;"
          + " or set sluice.local.isolation=none if the program keeps no data of a task in static"
          + " fields";

  /** Advice by the end of an error's message. */
  private static final Map<String, String> ADVICE =
      Map.of(
          "already loaded in another classloader", ONCE,
          "factory already defined", ONCE,
          "Metaspace", FULL,
          "Compressed class space", FULL);

  /** Limits the search, because causes may form a circle. */
  private static final int MOST_CAUSES = 100;

  private final JobConf job;
  private final Isolation isolation;
  private final ArrayDeque<SlotLoader> idle = new ArrayDeque<>();
  private boolean closed;

  TaskLoaders(JobConf job) {
    this.job = job;
    this.isolation = Isolation.of(job);
  }

  /** Takes a loader that no other task uses now; without isolation the job's own. */
  synchronized ClassLoader take() {
    if (isolation == Isolation.NONE) {
      return job.getClassLoader();
    }
    if (!idle.isEmpty()) {
      return idle.pop();
    }
    SlotMetrics.shareNames();
    return new SlotLoader(job);
  }

  /**
   * The task has ended.
   *
   * @param failed whether the task has failed, so that no other task may use its static fields
   * @return whether another task may use the loader
   */
  boolean giveBack(ClassLoader loader, boolean failed) throws IOException {
    if (!(loader instanceof SlotLoader returned) || isolation == Isolation.NONE) {
      return true;
    }
    synchronized (this) {
      if (!closed && !failed && isolation == Isolation.SLOT) {
        idle.push(returned);
        return true;
      }
    }
    forget(Set.of(returned));
    return false;
  }

  private static void forget(Set<SlotLoader> loaders) throws IOException {
    Closer.all(() -> SlotMetrics.forget(loaders), () -> ClassCaches.forget(loaders));
  }

  /** Advice for a failure that slots cause; null for other failures. */
  static String advice(Throwable failure) {
    Throwable each = failure;
    for (int depth = 0; each != null && depth < MOST_CAUSES; depth++, each = each.getCause()) {
      String said = String.valueOf(each.getMessage());
      for (Map.Entry<String, String> advice : ADVICE.entrySet()) {
        if (each instanceof Error && said.endsWith(advice.getKey())) {
          return advice.getValue();
        }
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    Set<SlotLoader> all;
    synchronized (this) {
      closed = true;
      all = Set.copyOf(idle);
      idle.clear();
    }
    if (!all.isEmpty()) {
      forget(all);
    }
  }

  /**
   * Metrics sources that programs register with Hadoop's metrics system, which exists once in a
   * process. Each slot registers the sources of its classes, and Hadoop refuses a name that is
   * taken, so that for example HBase's file format fails in a second slot. As in Hadoop's mini
   * clusters, a taken name gets a number.
   *
   * <p>Thread contract: safe from any thread. Failure: {@link IOException} if this release of
   * Hadoop stores sources in another way; the sources and their classes then stay in memory.
   */
  static final class SlotMetrics {
    private SlotMetrics() {}

    /** Allows each slot to register the same name. */
    static void shareNames() {
      DefaultMetricsSystem.setMiniClusterMode(true);
    }

    /** Unregisters all sources of classes of these loaders. */
    static void forget(Set<? extends ClassLoader> loaders) throws IOException {
      MetricsSystem system = DefaultMetricsSystem.instance();
      if (!(system instanceof MetricsSystemImpl)) {
        return; // a program has installed its own
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
        throw new IOException("the metrics sources of this release of Hadoop cannot be removed", e);
      }
    }

    /** The object that a program has registered; Hadoop wraps objects with annotations. */
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
}
