package io.sluice.spark.pool;

import org.apache.spark.shuffle.ShuffleBlockInfo;

/** What the outputs of map tasks are called in a pool. */
public final class BlockNames {
  private BlockNames() {}

  /** Name of one map task's output. */
  public static String output(int shuffleId, long mapId) {
    return ofShuffle(shuffleId) + mapId;
  }

  /** Which output has that name. */
  static ShuffleBlockInfo parse(String name) {
    String[] parts = name.split("_");
    return new ShuffleBlockInfo(Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
  }

  /** What the names of all outputs of a shuffle begin with. */
  public static String ofShuffle(int shuffleId) {
    return "shuffle_" + shuffleId + "_";
  }
}
