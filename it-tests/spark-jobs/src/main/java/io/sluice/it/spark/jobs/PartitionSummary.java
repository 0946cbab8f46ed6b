package io.sluice.it.spark.jobs;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.SparkEnv;

/**
 * One partition of a result, and who computed it.
 *
 * @param count its rows
 * @param hashSum sum of their hashes, which their order does not change
 * @param ascending whether no key is smaller than the one before
 * @param firstKey meaningless if there are no rows
 * @param lastKey meaningless if there are no rows
 * @param executor the executor's id
 * @param shuffleManager class of the executor's shuffle manager
 */
record PartitionSummary(
    long count,
    long hashSum,
    boolean ascending,
    long firstKey,
    long lastKey,
    String executor,
    String shuffleManager)
    implements Serializable {

  /** Reads a partition, in its task. */
  static PartitionSummary of(Iterator<ResultRow> rows) {
    long count = 0;
    long hashSum = 0;
    boolean ascending = true;
    long firstKey = 0;
    long lastKey = 0;
    while (rows.hasNext()) {
      ResultRow row = rows.next();
      if (count == 0) {
        firstKey = row.key();
      } else {
        ascending &= lastKey <= row.key();
      }
      lastKey = row.key();
      hashSum += row.hash();
      count++;
    }
    SparkEnv env = SparkEnv.get();
    return new PartitionSummary(
        count, hashSum, ascending, firstKey, lastKey, env.executorId(), shuffleManager(env));
  }

  static String shuffleManager(SparkEnv env) {
    return env.shuffleManager().getClass().getName();
  }
}
