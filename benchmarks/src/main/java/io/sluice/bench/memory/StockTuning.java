package io.sluice.bench.memory;

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
 */
public record StockTuning(int sortMb, int mapHeapMb, int reduceHeapMb) {
  static final int TASKS_AT_A_TIME = 2;

  /** Heap that every task has anyway, in the node's base. */
  private static final int BASE_HEAP_MB = 128;

  private static final int LARGEST_SORT_MB = 2047; // Hadoop's limit
  static final int LEAST_SORT_MB = 8;
  private static final int HEAP_BESIDES_SORT_MB = 200;
  private static final int LEAST_REDUCE_HEAP_MB = 300;
  private static final int SMALL_HEAP_BESIDES_SORT_MB = 110;
  private static final int SMALL_REDUCE_HEAP_MB = 200;
  private static final int DEFAULT_SORT_MB = 100;

  /** What the memory is given to. */
  public enum Mix {
    /** Large sort buffers and heaps, as the paper has it. */
    SORT_HEAVY("sort buffers"),
    /** Hadoop's default buffers and small heaps; the rest is for the kernel's page cache. */
    CACHE_HEAVY("page cache"),
    /** Heaps that are no larger than they must be: larger ones may not fit little memory. */
    SMALL_HEAPS("sort buffers in small heaps");

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
    int large = clamp(Math.min(wholeMapMb, 0.7 * (taskMb + BASE_HEAP_MB)));
    int small = Math.min(large, DEFAULT_SORT_MB);
    int sortMb =
        switch (mix) {
          case SORT_HEAVY, SMALL_HEAPS -> large;
          case CACHE_HEAVY -> small;
        };
    if (mix == Mix.SMALL_HEAPS) {
      return new StockTuning(sortMb, sortMb + SMALL_HEAP_BESIDES_SORT_MB, SMALL_REDUCE_HEAP_MB);
    }
    int mapHeapMb = (int) Math.max(sortMb / 0.71, sortMb + HEAP_BESIDES_SORT_MB);
    int reduceHeapMb =
        mix == Mix.CACHE_HEAVY
            ? LEAST_REDUCE_HEAP_MB
            : (int) Math.max(LEAST_REDUCE_HEAP_MB, 0.83 * mapHeapMb);
    return new StockTuning(sortMb, mapHeapMb, reduceHeapMb);
  }

  private static int clamp(double sortMb) {
    return (int) Math.max(LEAST_SORT_MB, Math.min(LARGEST_SORT_MB, sortMb));
  }

  /** What is passed to a job. */
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("mapreduce.task.io.sort.mb", Integer.toString(sortMb));
    settings.put("mapreduce.map.java.opts", "-XX:+UseSerialGC -Xmx" + mapHeapMb + "m");
    settings.put("mapreduce.reduce.java.opts", "-XX:+UseSerialGC -Xmx" + reduceHeapMb + "m");
    settings.put("mapreduce.map.sort.spill.percent", "0.9");
    settings.put("mapreduce.task.io.sort.factor", "100");
    settings.put("mapreduce.reduce.shuffle.input.buffer.percent", "0.7");
    settings.put("mapreduce.reduce.shuffle.merge.percent", "0.9");
    settings.put("mapreduce.reduce.input.buffer.percent", "0.7");
    settings.put("mapreduce.reduce.merge.inmem.threshold", "0");
    return settings;
  }
}
