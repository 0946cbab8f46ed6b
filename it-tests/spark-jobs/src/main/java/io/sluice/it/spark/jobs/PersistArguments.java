package io.sluice.it.spark.jobs;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.storage.StorageLevel;

/**
 * One thing that {@link PersistBenchmarkJob} is told to measure.
 *
 * @param level how the lines are persisted: a name that {@link StorageLevel} has
 * @param benchmark what is run over them
 * @param textBytes of the lines, with their ends
 * @param blocks partitions of the lines and of every shuffle
 * @param runs how often the benchmark runs over the same blocks
 * @param seed of the lines
 */
public record PersistArguments(
    String level, PersistBenchmark benchmark, long textBytes, int blocks, int runs, long seed) {
  private static final int COUNT = 6;

  /** As a command line. */
  public List<String> toList() {
    return List.of(
        level,
        benchmark.name(),
        Long.toString(textBytes),
        Integer.toString(blocks),
        Integer.toString(runs),
        Long.toString(seed));
  }

  /** Any number of them, one behind the other on one command line. */
  static List<PersistArguments> parse(String[] arguments) {
    if (arguments.length == 0 || arguments.length % COUNT != 0) {
      throw new IllegalArgumentException(
          "expected LEVEL BENCHMARK TEXT_BYTES BLOCKS RUNS SEED, any number of times, got "
              + List.of(arguments));
    }
    List<PersistArguments> all = new ArrayList<>();
    for (int i = 0; i < arguments.length; i += COUNT) {
      all.add(
          new PersistArguments(
              arguments[i],
              PersistBenchmark.valueOf(arguments[i + 1]),
              Long.parseLong(arguments[i + 2]),
              Integer.parseInt(arguments[i + 3]),
              Integer.parseInt(arguments[i + 4]),
              Long.parseLong(arguments[i + 5])));
    }
    return all;
  }

  /**
   * The programs over persisted lines: the three benchmarks of Chen and Rodero (section III.B), and
   * one of them with every block on another executor, for their network's parameters.
   */
  public enum PersistBenchmark {
    LINE_COUNTER("LineCounter", false),
    WORD_COUNT_REDUCE("WordCount-reduceByKey", false),
    WORD_COUNT_GROUP("WordCount-groupByKey", false),
    LINE_COUNTER_REMOTE("LineCounter, remote blocks", true);

    private final String title;
    private final boolean remote;

    PersistBenchmark(String title, boolean remote) {
      this.title = title;
      this.remote = remote;
    }

    /** As people read it. */
    public String title() {
      return title;
    }

    /** Whether tasks run where their blocks are not. */
    public boolean isRemote() {
      return remote;
    }
  }
}
