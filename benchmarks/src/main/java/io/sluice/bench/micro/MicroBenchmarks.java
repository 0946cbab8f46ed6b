package io.sluice.bench.micro;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of this package, each in a JVM of its own. */
public final class MicroBenchmarks {
  private MicroBenchmarks() {}

  /**
   * Runs those whose names match, and prints what they took.
   *
   * @param pattern looked for in {@code io.sluice.bench.micro.SortBenchmark.collect} and the like
   */
  public static void run(String pattern) throws RunnerException {
    new Runner(new OptionsBuilder().include(pattern).shouldFailOnError(true).build()).run();
  }
}
