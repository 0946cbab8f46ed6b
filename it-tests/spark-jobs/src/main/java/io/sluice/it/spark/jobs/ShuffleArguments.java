package io.sluice.it.spark.jobs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of {@link ShuffleJob}.
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

  /** Any number of them, one behind the other on one command line. */
  static List<ShuffleArguments> parse(String[] arguments) {
    if (arguments.length == 0 || arguments.length % 4 != 0) {
      throw new IllegalArgumentException(
          "expected WORKLOAD ROWS PARTITIONS SEED, any number of times, got " + List.of(arguments));
    }
    List<ShuffleArguments> all = new ArrayList<>();
    for (int i = 0; i < arguments.length; i += 4) {
      all.add(
          new ShuffleArguments(
              Workload.valueOf(arguments[i]),
              Long.parseLong(arguments[i + 1]),
              Integer.parseInt(arguments[i + 2]),
              Long.parseLong(arguments[i + 3])));
    }
    return all;
  }
}
