package io.sluice.workloads.spark;

import java.io.IOException;
import org.apache.spark.api.java.JavaSparkContext;

/** Reads an input and writes an output. Thread contract: one thread of a driver. */
@FunctionalInterface
interface SparkProgram {
  /**
   * Does all of it.
   *
   * @param arguments those of the MapReduce program of the same name
   */
  void run(JavaSparkContext context, String[] arguments) throws IOException;
}
