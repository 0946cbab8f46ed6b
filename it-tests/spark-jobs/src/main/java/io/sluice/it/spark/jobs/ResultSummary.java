package io.sluice.it.spark.jobs;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaRDD;

/**
 * All partitions of a result.
 *
 * @param count its rows
 * @param digest of the rows, whatever their order
 * @param sorted whether the keys ascend through all partitions
 * @param shuffleManagers classes of the executors' shuffle managers, by executor
 */
record ResultSummary(
    long count, String digest, boolean sorted, SortedMap<String, String> shuffleManagers) {

  /** Computes the rows, in their tasks. */
  static ResultSummary of(JavaRDD<ResultRow> rows) {
    return of(rows.mapPartitions(each -> List.of(PartitionSummary.of(each)).iterator()).collect());
  }

  /** Puts partitions together, in their order. */
  private static ResultSummary of(List<PartitionSummary> partitions) {
    long count = 0;
    long hashSum = 0;
    boolean sorted = true;
    long lastKey = Long.MIN_VALUE;
    SortedMap<String, String> shuffleManagers = new TreeMap<>();
    for (PartitionSummary partition : partitions) {
      shuffleManagers.put(partition.executor(), partition.shuffleManager());
      if (partition.count() > 0) {
        sorted &= partition.ascending() && lastKey <= partition.firstKey();
        lastKey = partition.lastKey();
      }
      count += partition.count();
      hashSum += partition.hashSum();
    }
    return new ResultSummary(count, "%016x".formatted(hashSum), sorted, shuffleManagers);
  }
}
