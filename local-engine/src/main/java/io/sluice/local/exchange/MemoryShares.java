package io.sluice.local.exchange;

import io.sluice.mapreduce.memory.TaskMemory;
import java.io.Closeable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Divides the memory of this process equally among the running tasks of all its jobs. A task's
 * share is fixed when it begins.
 *
 * <p>Thread contract: safe from any thread. Ownership: a job's exchange closes it, which frees the
 * job's share.
 */
final class MemoryShares implements Closeable {
  private static final Set<MemoryShares> ALL = ConcurrentHashMap.newKeySet();

  private volatile int sorting;
  private volatile int merging;

  /** The shares of a job without tasks yet. */
  MemoryShares() {
    ALL.add(this);
  }

  /** Sets the number of the job's sort buffers and of its merging tasks at a time. */
  void set(int sorting, int merging) {
    this.sorting = sorting;
    this.merging = merging;
  }

  /** The job has no sort buffers any more. */
  void sorted() {
    sorting = 0;
  }

  /** The share of a task that begins now. */
  TaskMemory ofTask() {
    int allSorting = 0;
    int allMerging = 0;
    for (MemoryShares each : ALL) {
      allSorting += each.sorting;
      allMerging += each.merging;
    }
    return TaskMemory.shared(allSorting, allMerging);
  }

  @Override
  public void close() {
    ALL.remove(this);
  }
}
