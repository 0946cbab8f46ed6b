package io.sluice.local.task;

import io.sluice.local.conf.Isolation;
import io.sluice.local.loader.ClassCaches;
import io.sluice.local.loader.SlotLoader;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapred.JobConf;

/**
 * Class loaders for the maps of a job, or for its reduces: as many as run at a time, each for one
 * task after the other; or one for each attempt; or the job's for all, as the job's isolation says.
 *
 * <p>Thread contract: safe from any thread. Ownership: its creator closes it after the tasks; an
 * attempt that was given up keeps its loader until it ends. Failure: {@link IOException} if Hadoop
 * cannot be made to forget classes, which then stay in memory.
 */
final class TaskLoaders implements Closeable {
  private static final String ONCE =
      "the program does what Java allows once in a process, and another slot or the client has done"
          + " it: set sluice.local.isolation=none, and 1 for sluice.local.map-threads and"
          + " sluice.local.reduce-threads";
  private static final String FULL =
      "the process has no room for more classes, of which each slot has its own: raise"
          + " -XX:MaxMetaspaceSize and -XX:CompressedClassSpaceSize, where these are set; lower"
          + " sluice.local.map-threads, sluice.local.sort-threads and sluice.local.reduce-threads; or"
          + " set sluice.local.isolation=none, if the program keeps nothing of a task in static"
          + " fields";

  /** What an error's message ends with, and what to do about it. */
  private static final Map<String, String> ADVICE =
      Map.of(
          "already loaded in another classloader", ONCE,
          "factory already defined", ONCE,
          "Metaspace", FULL,
          "Compressed class space", FULL);

  /** Causes may go round in a circle. */
  private static final int MOST_CAUSES = 100;

  private final JobConf job;
  private final Isolation isolation;
  private final ArrayDeque<SlotLoader> idle = new ArrayDeque<>();
  private boolean closed;

  TaskLoaders(JobConf job) {
    this.job = job;
    this.isolation = Isolation.of(job);
  }

  /** One that no other task uses now; with no isolation the job's own. */
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
   * @param failed whether no other task may go on with what it has left in static fields
   * @return whether another task may have the loader
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

  /** What to do about a failure that comes of slots' classes; null if it does not. */
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
}
