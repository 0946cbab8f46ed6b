package io.sluice.bench.memory;

import io.sluice.bench.memory.NodeMemory.Intermediate;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Hadoop's settings for a node of little memory, after the paper that tuned Hadoop so: all of a
 * map's output in one sort buffer if it fits, no merges in between, reduces that keep in their heap
 * what they can.
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

  /** For a job, in a memory. */
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
