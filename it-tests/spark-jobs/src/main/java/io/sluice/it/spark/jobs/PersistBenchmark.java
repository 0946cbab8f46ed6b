package io.sluice.it.spark.jobs;

/**
 * What is run over persisted lines: the three benchmarks of Chen and Rodero (section III.B), and
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
