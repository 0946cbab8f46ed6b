package io.sluice.hadoop.task;

import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * What the container of a task has room for beside the heap: Sluice's sort buffer and windows lie
 * outside it, stock's inside. YARN kills a container whose process takes more than it was given, so
 * where a job is sized for stock, what Sluice takes by its own decision is smaller.
 *
 * <pre>
 *   mapreduce.map.memory.mb, or mapreduce.reduce.memory.mb
 *     - largest heap (-Xmx)
 *     - what every task's JVM takes besides: classes, compiled code, threads, collector
 *     = room, but at least {@link #LEAST_BYTES}
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
public final class ContainerRoom {
  /** Sorting in less costs more than it saves; the heap is hardly ever all in use. */
  static final long LEAST_BYTES = 32L << 20;

  /** Of a JVM that runs a task of stock's, without its heap and without what stock sorts in. */
  static final long JVM_BYTES = 128L << 20;

  private ContainerRoom() {}

  /**
   * How much of it there is; unlimited for a process that YARN has not started.
   *
   * @param environment of the process
   */
  public static long bytes(Map<String, String> environment, JobConf job, TaskType type) {
    if (!environment.containsKey(Environment.CONTAINER_ID.name())) {
      return Long.MAX_VALUE;
    }
    return bytes(job.getMemoryRequired(type), Runtime.getRuntime().maxMemory());
  }

  static long bytes(int containerMb, long heapBytes) {
    return Math.max(LEAST_BYTES, ((long) containerMb << 20) - heapBytes - JVM_BYTES);
  }
}
