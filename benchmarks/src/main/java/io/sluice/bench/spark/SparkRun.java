package io.sluice.bench.spark;

/** Which of an executor's runs of the same shuffle is looked at. */
enum SparkRun {
  /** The first: classes are loaded, code is interpreted and compiled. */
  COLD("cold", 0),
  /** What most jobs come to. */
  SECOND("second", 1),
  /** After a single run, the compiler still takes more of the processor than the shuffle. */
  WARM("warm", 3);

  private final String title;
  private final int repetition;

  SparkRun(String title, int repetition) {
    this.title = title;
    this.repetition = repetition;
  }

  String title() {
    return title;
  }

  /** How often the shuffle has run before. */
  int repetition() {
    return repetition;
  }
}
