package io.sluice.local.task;

import io.sluice.local.conf.Isolation;
import io.sluice.local.loader.KeptClasses;
import io.sluice.local.loader.SlotLoader;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
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
  /** What Java says of a native library, and of a factory of URL's handlers. */
  private static final List<String> ONCE =
      List.of("already loaded in another classloader", "factory already defined");

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
    SlotMetrics.forget(loaders);
    KeptClasses.forget(loaders);
  }

  /** What Java allows to one class loader of a process alone, and another slot has done. */
  static boolean isOncePerProcess(Throwable failure) {
    Throwable each = failure;
    for (int depth = 0; each != null && depth < MOST_CAUSES; depth++, each = each.getCause()) {
      String said = String.valueOf(each.getMessage());
      if (each instanceof Error && ONCE.stream().anyMatch(said::endsWith)) {
        return true;
      }
    }
    return false;
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
