package io.sluice.it.spark.jobs;

import java.io.Serializable;
import java.util.List;

/**
 * What {@link ShuffleJob} is told.
 *
 * @param workload which shuffle
 * @param rows of input, on each side of a cogroup and on the left of a join
 * @param partitions of the input and of every shuffle
 * @param seed of the input
 */
public record ShuffleArguments(Workload workload, long rows, int partitions, long seed)
    implements Serializable {

  /** As a command line. */
  public List<String> toList() {
    return List.of(
        workload.name(), Long.toString(rows), Integer.toString(partitions), Long.toString(seed));
  }

  static ShuffleArguments parse(String[] arguments) {
    if (arguments.length != 4) {
      throw new IllegalArgumentException(
          "expected WORKLOAD ROWS PARTITIONS SEED, got " + List.of(arguments));
    }
    return new ShuffleArguments(
        Workload.valueOf(arguments[0]),
        Long.parseLong(arguments[1]),
        Integer.parseInt(arguments[2]),
        Long.parseLong(arguments[3]));
  }
}
