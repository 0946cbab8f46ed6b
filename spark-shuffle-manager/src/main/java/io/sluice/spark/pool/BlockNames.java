package io.sluice.spark.pool;

/** What the outputs of map tasks are called in a pool. */
public final class BlockNames {
  private BlockNames() {}

  /** Name of one map task's output. */
  public static String output(int shuffleId, long mapId) {
    return ofShuffle(shuffleId) + mapId;
  }

  /** What the names of all outputs of a shuffle begin with. */
  static String ofShuffle(int shuffleId) {
    return "shuffle_" + shuffleId + "_";
  }
}
