package io.sluice.bench.memory;

import io.sluice.bench.memory.NodeMemory.Intermediate;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sluice's settings for a node of little memory: 16 MiB for the buffers of each of the two tasks
 * that run at a time, but a quarter of it at most, and the rest for the NodeManager's pool. A map
 * that has memory to sort in borrows more; a reduce with less asks a disk for pieces so small that
 * it seeks more than it reads.
 *
 * @param sortMb a map's sort buffer
 * @param windowsMb a reduce's windows
 * @param poolMb the memory tier
 * @param segmentMb its segments
 */
public record SluiceTuning(int sortMb, int windowsMb, int poolMb, int segmentMb) {
  private static final int LARGEST_SEGMENT_MB = 64;
  private static final int SEGMENTS = 48; // at least, so that what is no whole one is little
  private static final int LEAST_POOL_MB = 12;
  private static final int BUFFERS_MB = 16;
  private static final int HEAP_MB = 256;

  /** For a job, in a memory. */
  public static SluiceTuning of(NodeMemory memory, Intermediate data) {
    double most =
        Math.min(
            BUFFERS_MB * NodeMemory.MIB, memory.shuffleBytes() / 4.0 / StockTuning.TASKS_AT_A_TIME);
    int windowsMb = NodeMemory.mib(most, StockTuning.LEAST_SORT_MB);
    int sortMb =
        NodeMemory.mib(Math.min(1.15 * data.sortBytesOfMap(), most), StockTuning.LEAST_SORT_MB);
    int poolMb =
        NodeMemory.mib(
            memory.shuffleBytes() - StockTuning.TASKS_AT_A_TIME * windowsMb * NodeMemory.MIB,
            LEAST_POOL_MB);
    return new SluiceTuning(
        sortMb,
        windowsMb,
        poolMb,
        Math.min(LARGEST_SEGMENT_MB, Math.max(1, Integer.highestOneBit(poolMb / SEGMENTS))));
  }

  /** The sum: buffers of the tasks and the pool. */
  long bytes() {
    return (StockTuning.TASKS_AT_A_TIME * windowsMb + poolMb) * NodeMemory.MIB;
  }

  /** The settings of a job. */
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("mapreduce.task.io.sort.mb", Integer.toString(sortMb));
    settings.put("mapreduce.task.io.sort.factor", "100"); // as for stock: no merges in between
    settings.put("sluice.reduce.buffer-mb", Integer.toString(windowsMb));
    // Sort buffer and windows lie outside the heap, and a JVM's limit for that is its heap's size.
    String options =
        "-XX:+UseSerialGC -Xmx%dm -XX:MaxDirectMemorySize=%dm"
            .formatted(HEAP_MB, HEAP_MB + sortMb + windowsMb);
    settings.put("mapreduce.map.java.opts", options);
    settings.put("mapreduce.reduce.java.opts", options);
    return settings;
  }

  /** The settings of the NodeManager. */
  public Map<String, String> nodeSettings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("sluice.pool.capacity-mb", Integer.toString(poolMb));
    settings.put("sluice.pool.segment-mb", Integer.toString(segmentMb));
    return settings;
  }
}
