package io.sluice.hadoop.task;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.CodecMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.stage.LeasedStage;
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
 *         codec, if it is outside      an eighth, 64 MiB at most, but what it needs
 *         sort buffer                  what one extent and one compressor leave
 *         windows                      the rest
 * </pre>
 *
 * <p>A map returns its sort buffer to the kernel before its last merge. So the buffer is not
 * smaller for what that merge alone takes: the other extent, the runs that it reads, and their
 * codec. Only a map of half a million runs merges while it sorts. The C library may keep the buffer
 * if it was told before to free as much as a chunk at once: codecs are allocated from that, mapped
 * pages, 3/16 of the room, are not.
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

  private static final int MOST_TRANSPORTS = 2;

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

  /** What is mapped at a time of each run that a reduce with so many windows has staged. */
  public int stageWindowBytes(int windows) {
    int runs = Math.max(1, Math.min(windows, MergeMemory.MAX_RUNS)); // in one merge
    return (int) Math.min(LeasedStage.WINDOW_BYTES, readBytes() / runs);
  }

  /** The most that a codec takes outside the heap; 0 if it takes nothing there. */
  private long codecBytes(CodecMemory codec) {
    long leastBytes = codec.leastOutsideBytes();
    return leastBytes == 0
        ? 0
        : Math.max(leastBytes, Math.min(MOST_CODEC_BYTES, bytes / CODEC_SHARE));
  }

  /** What a map may take. Streams alone, of a codec without chunks, have all that a merge has. */
  public TaskMemory mapMemory(CodecMemory codec) {
    long codecBytes = codecBytes(codec);
    long mergeBytes = codec.inChunks() ? codecBytes : Math.max(codecBytes, bytes - mappedBytes());
    return TaskMemory.alone().within(sortBytes(codec), mergeBytes, readBytes());
  }

  /** What a reduce may take. */
  public TaskMemory reduceMemory(CodecMemory codec) {
    return TaskMemory.alone().within(allWindowsBytes(codec), codecBytes(codec), readBytes());
  }

  /** The most for a map's sort buffer. */
  public long sortBytes(CodecMemory codec) {
    return Math.max(LEAST_BUFFER_BYTES, bytes - mapExtentBytes() - codec.writerOutsideBytes());
  }

  /**
   * The most for a reduce's windows of each transport.
   *
   * @param transports that there are; a reduce hardly ever opens more than two
   */
  public long windowsBytes(CodecMemory codec, int transports) {
    return allWindowsBytes(codec) / Math.max(1, Math.min(transports, MOST_TRANSPORTS));
  }

  private long allWindowsBytes(CodecMemory codec) {
    return Math.max(LEAST_BUFFER_BYTES, bytes - mappedBytes() - codecBytes(codec));
  }
}
