package io.sluice.mapreduce.memory;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.rdma.memory.DirectMemory;
import java.lang.management.ManagementFactory;

/**
 * What one task may take of the memory of its process: an equal share among the tasks that sort or
 * merge in that process at a time. On a cluster a task has the process to itself; in the client's
 * process many tasks share it.
 *
 * <p>It bounds what Sluice takes by its own decision. A job's settings may ask for less.
 *
 * <p>Thread contract: immutable.
 *
 * @param sortBytes of its sort buffer, in direct memory
 * @param blocksBytes of the blocks in which it parses the runs that it merges, on the heap
 * @param streamsBytes of what reads those runs, on the heap and in direct memory: the codec once,
 *     or for each of them that is a stream, that of rounds, and for each run a block that is
 *     verified
 * @param codecBytes of that, what the codec has outside the heap; {@link Long#MAX_VALUE}: as much
 *     as there is
 * @param mappedBytes of the windows through which it reads runs that it has written to a pool
 */
public record TaskMemory(
    long sortBytes, long blocksBytes, long streamsBytes, long codecBytes, long mappedBytes) {
  /** The least that a sort buffer is worth. */
  public static final long MIN_SORT_BYTES = 4 << 20;

  private static final long MAX_BLOCKS_BYTES = 40 << 20;
  private static final long MAX_STREAMS_BYTES = 64 << 20;
  private static final long MAX_MAPPED_BYTES = 64 << 20;

  /** The part of the heap that the decompressors of one task may have. */
  private static final int STREAMS_SHARE = 16;

  /** The part of heap, direct memory or machine that all tasks together may have of one kind. */
  private static final int PROCESS_SHARE = 4;

  /** That of a task which has its process to itself. */
  public static TaskMemory alone() {
    return shared(1, 1);
  }

  /**
   * That of each task in a process.
   *
   * @param sorting sort buffers at a time
   * @param merging tasks that merge at a time
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

  /** At most so much of what lies outside the heap, but the least that a sort buffer is worth. */
  public TaskMemory within(long sortBytes, long codecBytes, long mappedBytes) {
    return new TaskMemory(
        Math.max(MIN_SORT_BYTES, Math.min(this.sortBytes, sortBytes)),
        blocksBytes,
        streamsBytes,
        Math.min(this.codecBytes, codecBytes),
        Math.min(this.mappedBytes, mappedBytes));
  }

  /** How many sort buffers of the least length the process has room for, at least one. */
  public static int mostSorting() {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, allSortBytes() / MIN_SORT_BYTES));
  }

  /**
   * Three quarters of direct memory, or less where that would leave others too little. At most a
   * quarter of the machine or, in a container, of what that may use.
   */
  private static long allSortBytes() {
    long limitBytes = DirectMemory.limitBytes();
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long othersBytes = Math.max(limitBytes / PROCESS_SHARE, DirectMemory.headRoomBytes());
    return Math.min(limitBytes - othersBytes, machine.getTotalMemorySize() / PROCESS_SHARE);
  }
}
