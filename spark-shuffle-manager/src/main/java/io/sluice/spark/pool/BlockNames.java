package io.sluice.spark.pool;

import org.apache.spark.shuffle.ShuffleBlockInfo;

/** The names of map outputs in a pool. */
public final class BlockNames {
  private BlockNames() {}

  /** Name of one map task's output. */
  public static String output(int shuffleId, long mapId) {
    return ofShuffle(shuffleId) + mapId;
  }

  /** The output that has this name. */
  static ShuffleBlockInfo parse(String name) {
    String[] parts = name.split("_");
    return new ShuffleBlockInfo(Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
  }

  /** The common prefix of the names of a shuffle's outputs. */
  public static String ofShuffle(int shuffleId) {
    return "shuffle_" + shuffleId + "_";
  }
}
