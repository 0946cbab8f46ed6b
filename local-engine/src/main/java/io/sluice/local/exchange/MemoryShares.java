package io.sluice.local.exchange;

import io.sluice.mapreduce.memory.TaskMemory;
import java.io.Closeable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Divides the memory of this process equally among the tasks of all jobs that run in it at a time.
 * A task has the share of the moment in which it begins.
 *
 * <p>Thread contract: safe from any thread. Ownership: a job's exchange closes it, and what the
 * job's tasks had is then the others'.
 */
final class MemoryShares implements Closeable {
  private static final Set<MemoryShares> ALL = ConcurrentHashMap.newKeySet();

  private volatile int sorting;
  private volatile int merging;

  /** Of a job, no task of which has begun. */
  MemoryShares() {
    ALL.add(this);
  }

  /** So many of the job's sort buffers are there at a time, and so many of its tasks merge. */
  void set(int sorting, int merging) {
    this.sorting = sorting;
    this.merging = merging;
  }

  /** No sort buffer is there any more. */
  void sorted() {
    sorting = 0;
  }

  /** That of a task which begins now. */
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
