package io.sluice.mapreduce.memory;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.rdma.memory.DirectMemory;
import java.lang.management.ManagementFactory;

/**
 * The memory that one task may use: an equal share among the tasks that sort or merge in its
 * process. On a cluster a task has a process of its own; in the client's process many tasks share
 * one.
 *
 * <p>It limits the memory that Sluice itself decides to use. A job's settings may ask for less.
 *
 * <p>Thread contract: immutable.
 *
 * @param sortBytes of its sort buffer, in direct memory
 * @param blocksBytes of the blocks in which it parses the runs that it merges, on the heap
 * @param streamsBytes for reading those runs, on the heap and in direct memory: a codec for all
 *     chunks and one for each stream, the codec of rounds, and a verified block for each run
 * @param codecBytes the part of that for codecs outside the heap; {@link Long#MAX_VALUE} means no
 *     limit
 * @param mappedBytes of the windows for reading runs from a pool
 */
public record TaskMemory(
    long sortBytes, long blocksBytes, long streamsBytes, long codecBytes, long mappedBytes) {
  /** The least length of a sort buffer. */
  public static final long MIN_SORT_BYTES = 4 << 20;

  private static final long MAX_BLOCKS_BYTES = 40 << 20;
  private static final long MAX_STREAMS_BYTES = 64 << 20;
  private static final long MAX_MAPPED_BYTES = 64 << 20;

  /** The share of the heap for the decompressors of one task. */
  private static final int STREAMS_SHARE = 16;

  /** The share of heap, direct memory or machine for all tasks together. */
  private static final int PROCESS_SHARE = 4;

  /** The memory of a task that has a process of its own. */
  public static TaskMemory alone() {
    return shared(1, 1);
  }

  /**
   * The memory of each task in a shared process.
   *
   * @param sorting the number of sort buffers at a time
   * @param merging the number of tasks that merge at a time
   */
  public static TaskMemory shared(int sorting, int merging) {
    long heapBytes = Runtime.getRuntime().maxMemory();
    long mergeBytes = heapBytes / PROCESS_SHARE / Math.max(1, merging);
    long directBytes = DirectMemory.limitBytes() / PROCESS_SHARE / Math.max(1, merging);
    return new TaskMemory(
        Math.max(MIN_SORT_BYTES, allSortBytes() / Math.max(1, sorting)),
        Math.min(MAX_BLOCKS_BYTES, mergeBytes),
        Math.min(
            Math.min(MAX_STREAMS_BYTES, heapBytes / STREAMS_SHARE),
            Math.min(mergeBytes, directBytes)),
        Long.MAX_VALUE,
        MAX_MAPPED_BYTES);
  }

  /**
   * The same with these limits outside the heap; the sort buffer keeps at least its least length.
   */
  public TaskMemory within(long sortBytes, long codecBytes, long mappedBytes) {
    return new TaskMemory(
        Math.max(MIN_SORT_BYTES, Math.min(this.sortBytes, sortBytes)),
        blocksBytes,
        streamsBytes,
        Math.min(this.codecBytes, codecBytes),
        Math.min(this.mappedBytes, mappedBytes));
  }

  /**
   * The number of sort buffers of the least length for which the process has room, at least one.
   */
  public static int mostSorting() {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, allSortBytes() / MIN_SORT_BYTES));
  }

  /**
   * Three quarters of direct memory, or less to leave other users of it enough. At most a quarter
   * of the memory of the machine or container.
   */
  private static long allSortBytes() {
    long limitBytes = DirectMemory.limitBytes();
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long othersBytes = Math.max(limitBytes / PROCESS_SHARE, DirectMemory.headRoomBytes());
    return Math.min(limitBytes - othersBytes, machine.getTotalMemorySize() / PROCESS_SHARE);
  }
}
