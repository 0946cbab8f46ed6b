package io.sluice.bench.memory;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The memory of a measured node.
 *
 * @param baseBytes what daemons, ApplicationMaster and two tasks need without shuffling anything
 * @param shuffleBytes what there is besides: for sort buffers, outputs, windows and page cache
 */
public record NodeMemory(long baseBytes, long shuffleBytes) {
  static final long MIB = 1L << 20;

  /**
   * The intermediate data of a job, measured where memory is ample.
   *
   * @param bytes of all map outputs, as stock writes them
   * @param collectedBytes keys and values before any combiner, which a sort buffer has to hold
   * @param records the same, counted
   * @param maps how many make them
   */
  public record Intermediate(long bytes, long collectedBytes, long records, int maps) {
    private static final int ACCOUNTING_BYTES = 16; // stock's, of each record in its sort buffer

    /** The sort buffer that takes all of one map's records. */
    long sortBytesOfMap() {
      return (collectedBytes + ACCOUNTING_BYTES * records) / maps;
    }
  }

  /** Enough for a share of what a job shuffles. */
  static NodeMemory of(long baseBytes, Intermediate data, double fraction) {
    return new NodeMemory(baseBytes, Math.round(data.bytes() * fraction));
  }

  /** The limit of all processes and their page cache. */
  public long limitBytes() {
    return baseBytes + shuffleBytes;
  }

  /** A size in MiB, rounded down, and at least so many. */
  static int mib(double bytes, int atLeast) {
    return (int) Math.max(atLeast, Math.min(Integer.MAX_VALUE, Math.floor(bytes / MIB)));
  }

  /**
   * Hadoop's settings for a node of little memory, after the paper that tuned Hadoop so: all of a
   * map's output in one sort buffer if it fits, no merges in between, reduces that keep in their
   * heap what they can.
   *
   * <p>Two tasks run at a time, and share equally what there is for the shuffle.
   *
   * @param sortMb {@code mapreduce.task.io.sort.mb}
   * @param mapHeapMb a map's heap
   * @param reduceHeapMb a reduce's heap
   * @param received what of that it keeps map outputs in
   */
  public record StockTuning(int sortMb, int mapHeapMb, int reduceHeapMb, double received) {
    static final int TASKS_AT_A_TIME = 2;

    /** Heap that every task has anyway, in the node's base. */
    private static final int BASE_HEAP_MB = 128;

    private static final int LARGEST_SORT_MB = 2047; // Hadoop's limit
    static final int LEAST_SORT_MB = 8;
    private static final int HEAP_BESIDES_SORT_MB = 200;
    private static final int LEAST_REDUCE_HEAP_MB = 300;
    private static final double RECEIVED = 0.7;

    /** Less of it, and a task that sorts or merges little runs out of heap. */
    private static final int LEAST_HEAP_MB = 110;

    /** The old generation takes two thirds of a heap, and a map output more than was asked for. */
    private static final double RECEIVED_IN_SMALL_HEAP = 0.5;

    /** The use of the memory. */
    public enum Mix {
      /** Large sort buffers and heaps, as the paper has it. */
      SORT_HEAVY("sort buffers"),
      /** Heaps that fit a task's share of the memory, whatever it is; page cache has the rest. */
      SMALL_HEAPS("small heaps");

      private final String title;

      Mix(String title) {
        this.title = title;
      }

      public String title() {
        return title;
      }
    }

    /** The settings for a job in that memory. */
    public static StockTuning of(NodeMemory memory, Intermediate data, Mix mix) {
      double taskMb = memory.shuffleBytes() / (double) TASKS_AT_A_TIME / NodeMemory.MIB;
      double wholeMapMb = 1.15 * data.sortBytesOfMap() / NodeMemory.MIB;
      if (mix == Mix.SMALL_HEAPS) {
        int heapMb = (int) (LEAST_HEAP_MB + taskMb);
        int sortMb = clamp(Math.min(wholeMapMb, 0.5 * heapMb));
        return new StockTuning(
            sortMb, Math.min(heapMb, sortMb + LEAST_HEAP_MB), heapMb, RECEIVED_IN_SMALL_HEAP);
      }
      int sortMb = clamp(Math.min(wholeMapMb, 0.7 * (taskMb + BASE_HEAP_MB)));
      int mapHeapMb = (int) Math.max(sortMb / 0.71, sortMb + HEAP_BESIDES_SORT_MB);
      int reduceHeapMb = (int) Math.max(LEAST_REDUCE_HEAP_MB, 0.83 * mapHeapMb);
      return new StockTuning(sortMb, mapHeapMb, reduceHeapMb, RECEIVED);
    }

    private static int clamp(double sortMb) {
      return (int) Math.max(LEAST_SORT_MB, Math.min(LARGEST_SORT_MB, sortMb));
    }

    /** The settings of a job. */
    public Map<String, String> settings() {
      Map<String, String> settings = new LinkedHashMap<>();
      settings.put("mapreduce.task.io.sort.mb", Integer.toString(sortMb));
      settings.put("mapreduce.map.java.opts", "-XX:+UseSerialGC -Xmx" + mapHeapMb + "m");
      settings.put("mapreduce.reduce.java.opts", "-XX:+UseSerialGC -Xmx" + reduceHeapMb + "m");
      settings.put("mapreduce.map.sort.spill.percent", "0.9");
      settings.put("mapreduce.task.io.sort.factor", "100");
      settings.put("mapreduce.reduce.shuffle.input.buffer.percent", Double.toString(received));
      settings.put("mapreduce.reduce.shuffle.merge.percent", "0.9");
      settings.put("mapreduce.reduce.input.buffer.percent", Double.toString(received));
      settings.put("mapreduce.reduce.merge.inmem.threshold", "0");
      return settings;
    }
  }

  /**
   * Sluice's settings for a node of little memory: 16 MiB for the buffers of each of the two tasks
   * that run at a time, but a quarter of it at most, and the rest for the NodeManager's pool. A map
   * that has memory to sort in borrows more; a reduce with less asks a disk for pieces so small
   * that it seeks more than it reads.
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

    /** The settings for a job in that memory. */
    public static SluiceTuning of(NodeMemory memory, Intermediate data) {
      double most =
          Math.min(
              BUFFERS_MB * NodeMemory.MIB,
              memory.shuffleBytes() / 4.0 / StockTuning.TASKS_AT_A_TIME);
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
      // Sort buffer and windows lie outside the heap, and a JVM's limit for that is its heap's
      // size.
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
}
