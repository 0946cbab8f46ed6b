package io.sluice.hadoop.task;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * What the container of a task has room for beside the heap, and how Sluice shares that out: its
 * sort buffer and windows lie outside the heap, stock's inside. YARN kills a container whose
 * process takes more than it was given, so where a job is sized for stock, what Sluice takes by its
 * own decision is smaller.
 *
 * <pre>
 *   mapreduce.map.memory.mb, or mapreduce.reduce.memory.mb
 *     - largest heap (-Xmx)
 *     - what every task's JVM takes besides: classes, compiled code, threads, collector
 *     = room, but at least {@link #LEAST_BYTES}
 *         mapped pages of the pool     a quarter, 128 MiB at most
 *         codec, if there is one       an eighth, 64 MiB at most, but what it needs
 *         sort buffer, or windows      the rest
 * </pre>
 *
 * <p>YARN counts mapped pages of the pool by default, since they are in the resident set. Of its
 * part a map has a quarter for the extent that it writes, another one for that of a merge, and half
 * for the runs that the merge reads. A reduce has half for the extents of all runs that it stages
 * at a time, and half for reading them in a merge.
 *
 * <p>Thread contract: immutable.
 *
 * @param bytes of the room; {@link Long#MAX_VALUE} for a process that YARN has not started
 */
public record ContainerRoom(long bytes) {
  /** Sorting in less costs more than it saves; the heap is hardly ever all in use. */
  static final long LEAST_BYTES = 32L << 20;

  /** Of a JVM that runs a task of stock's, without its heap and without what stock sorts in. */
  static final long JVM_BYTES = 128L << 20;

  /** What a codec needs much of, as Zstandard's highest levels do, leaves so much of the room. */
  static final long LEAST_BUFFER_BYTES = 16L << 20;

  private static final long MOST_MAPPED_BYTES = 128L << 20;
  private static final int MAPPED_SHARE = 4;
  private static final long MOST_CODEC_BYTES = 64L << 20;
  private static final int CODEC_SHARE = 8;

  /** Of what a map has mapped, for each of the two extents that are written at a time. */
  private static final int EXTENT_SHARE = 4;

  /** Of what is mapped, for runs that are read. */
  private static final int READ_SHARE = 2;

  /**
   * That of a task.
   *
   * @param environment of its process
   */
  public static ContainerRoom of(Map<String, String> environment, JobConf job, TaskType type) {
    return environment.containsKey(Environment.CONTAINER_ID.name())
        ? of(job.getMemoryRequired(type), heapBytes())
        : new ContainerRoom(Long.MAX_VALUE);
  }

  /** That of -Xmx; some collectors do not count a survivor space of it as the runtime's memory. */
  static long heapBytes() {
    long runtimeBytes = Runtime.getRuntime().maxMemory();
    try {
      HotSpotDiagnosticMXBean options =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return options == null
          ? runtimeBytes
          : Math.max(runtimeBytes, Long.parseLong(options.getVMOption("MaxHeapSize").getValue()));
    } catch (IllegalArgumentException e) {
      return runtimeBytes; // another JVM than HotSpot
    }
  }

  static ContainerRoom of(int containerMb, long heapBytes) {
    return new ContainerRoom(
        Math.max(LEAST_BYTES, ((long) containerMb << 20) - heapBytes - JVM_BYTES));
  }

  private long mappedBytes() {
    return Math.min(MOST_MAPPED_BYTES, bytes / MAPPED_SHARE);
  }

  /** The most of an extent that a map writes and has mapped; a merge writes a second one. */
  public long mapExtentBytes() {
    return mappedBytes() / EXTENT_SHARE;
  }

  /**
   * The same of each that a reduce writes.
   *
   * @param writers how many runs it stages at a time
   */
  public long reduceExtentBytes(int writers) {
    return (mappedBytes() - readBytes()) / Math.max(1, writers);
  }

  /** The most that is mapped of the runs that a merge reads. */
  public long readBytes() {
    return mappedBytes() / READ_SHARE;
  }

  /**
   * The most that a codec takes.
   *
   * @param leastBytes that it needs, see {@link MergeMemory#leastCodecBytes}; 0 without a codec
   */
  public long codecBytes(long leastBytes) {
    return leastBytes == 0
        ? 0
        : Math.max(leastBytes, Math.min(MOST_CODEC_BYTES, bytes / CODEC_SHARE));
  }

  /** What the task may take; see {@link #codecBytes}. */
  public TaskMemory memory(long leastCodecBytes) {
    return TaskMemory.alone()
        .within(bufferBytes(leastCodecBytes), codecBytes(leastCodecBytes), readBytes());
  }

  /** The most for a map's sort buffer, or for all windows of a reduce; see {@link #codecBytes}. */
  public long bufferBytes(long leastCodecBytes) {
    return Math.max(LEAST_BUFFER_BYTES, bytes - mappedBytes() - codecBytes(leastCodecBytes));
  }
}
