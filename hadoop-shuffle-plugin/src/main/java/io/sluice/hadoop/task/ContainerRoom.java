package io.sluice.hadoop.task;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.CodecMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.rdma.memory.DirectMemory;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * The memory of a task's container beside the heap, and Sluice's shares of it. Sluice's sort buffer
 * and windows lie outside the heap, stock's inside. YARN kills a container whose process takes more
 * than it was given. So in a job that is sized for stock, Sluice takes less than its settings
 * allow.
 *
 * <pre>
 *   mapreduce.map.memory.mb, or mapreduce.reduce.memory.mb
 *     - largest heap (-Xmx)
 *     - other memory of each task's JVM: classes, compiled code, threads, collector
 *     = room, but at least {@link #LEAST_BYTES}
 *         mapped pages of the pool     a quarter, 128 MiB at most
 *         codec, if it is outside      an eighth, 64 MiB at most, but as much as it needs
 *         sort buffer                  the rest beside one extent and one compressor
 *         windows                      the rest
 * </pre>
 *
 * <p>A map returns its sort buffer to the kernel before its last merge. So the buffer need not
 * leave room for the merge: for its extent, the runs that it reads, and their codec. Only a map of
 * half a million runs merges while it sorts. The C library may keep the freed buffer if it has
 * freed as large a piece before. Codecs are allocated from that; mapped pages, 3/16 of the room,
 * are not.
 *
 * <p>YARN counts mapped pages of the pool by default, since they are in the resident set. Of its
 * mapped pages, a map has a quarter for the extent that it writes, and a quarter for the extent of
 * a merge. Half is for the runs that the merge reads. A reduce has half for the extents of all runs
 * that it stages at a time, and half for reading them in a merge.
 *
 * <p>Thread contract: immutable.
 *
 * @param bytes of the room; {@link Long#MAX_VALUE} for a process that YARN has not started
 */
public record ContainerRoom(long bytes) {
  /** A smaller sort buffer costs more than it saves; the heap is hardly ever all in use. */
  static final long LEAST_BYTES = 32L << 20;

  /** Memory of a JVM that runs a stock task, without its heap. */
  static final long JVM_BYTES = 128L << 20;

  /** A codec that needs much, such as Zstandard's highest levels, leaves at least so much. */
  static final long LEAST_BUFFER_BYTES = 16L << 20;

  private static final long MOST_MAPPED_BYTES = 128L << 20;
  private static final int MAPPED_SHARE = 4;
  private static final long MOST_CODEC_BYTES = 64L << 20;
  private static final int CODEC_SHARE = 8;

  /** Each of a map's two extents may be this part of its mapped pages. */
  private static final int EXTENT_SHARE = 4;

  private static final int MOST_TRANSPORTS = 2;

  /** Runs that are read may be this part of the mapped pages. */
  private static final int READ_SHARE = 2;

  /**
   * The room of a task.
   *
   * @param environment of its process
   */
  public static ContainerRoom of(Map<String, String> environment, JobConf job, TaskType type) {
    return environment.containsKey(Environment.CONTAINER_ID.name())
        ? of(job.getMemoryRequired(type), heapBytes())
        : new ContainerRoom(Long.MAX_VALUE);
  }

  /** The heap of -Xmx; some collectors leave a survivor space out of the runtime's figure. */
  static long heapBytes() {
    return Math.max(Runtime.getRuntime().maxMemory(), DirectMemory.hotSpotOption("MaxHeapSize"));
  }

  static ContainerRoom of(int containerMb, long heapBytes) {
    return new ContainerRoom(
        Math.max(LEAST_BYTES, ((long) containerMb << 20) - heapBytes - JVM_BYTES));
  }

  private long mappedBytes() {
    return Math.min(MOST_MAPPED_BYTES, bytes / MAPPED_SHARE);
  }

  /** Most mapped bytes of the extent that a map writes; a merge writes a second extent. */
  public long mapExtentBytes() {
    return mappedBytes() / EXTENT_SHARE;
  }

  /**
   * Most mapped bytes of each extent that a reduce writes.
   *
   * @param writers how many runs it stages at a time
   */
  public long reduceExtentBytes(int writers) {
    return (mappedBytes() - readBytes()) / Math.max(1, writers);
  }

  /** Most mapped bytes of the runs that a merge reads. */
  public long readBytes() {
    return mappedBytes() / READ_SHARE;
  }

  /** Mapped bytes of each staged run, in a reduce with so many windows. */
  public int stageWindowBytes(int windows) {
    int runs = Math.max(1, Math.min(windows, MergeMemory.MAX_RUNS)); // in one merge
    return (int) Math.min(LeasedStage.WINDOW_BYTES, readBytes() / runs);
  }

  /** Most bytes that a codec takes outside the heap; 0 if it takes none there. */
  private long codecBytes(CodecMemory codec) {
    long leastBytes = codec.leastOutsideBytes();
    return leastBytes == 0
        ? 0
        : Math.max(leastBytes, Math.min(MOST_CODEC_BYTES, bytes / CODEC_SHARE));
  }

  /** The shares of a map. The streams of a codec without chunks get all memory of a merge. */
  public TaskMemory mapMemory(CodecMemory codec) {
    long codecBytes = codecBytes(codec);
    long mergeBytes = codec.inChunks() ? codecBytes : Math.max(codecBytes, bytes - mappedBytes());
    return TaskMemory.alone().within(sortBytes(codec), mergeBytes, readBytes());
  }

  /** The shares of a reduce. */
  public TaskMemory reduceMemory(CodecMemory codec) {
    return TaskMemory.alone().within(allWindowsBytes(codec), codecBytes(codec), readBytes());
  }

  /** Most bytes of a map's sort buffer. */
  public long sortBytes(CodecMemory codec) {
    return Math.max(LEAST_BUFFER_BYTES, bytes - mapExtentBytes() - codec.writerOutsideBytes());
  }

  /**
   * Most bytes of a reduce's windows of each transport.
   *
   * @param transports how many there are; a reduce hardly ever opens more than two
   */
  public long windowsBytes(CodecMemory codec, int transports) {
    return allWindowsBytes(codec) / Math.max(1, Math.min(transports, MOST_TRANSPORTS));
  }

  private long allWindowsBytes(CodecMemory codec) {
    return Math.max(LEAST_BUFFER_BYTES, bytes - mappedBytes() - codecBytes(codec));
  }
}
