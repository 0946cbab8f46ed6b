package io.sluice.it.spark.jobs;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.serializer.KryoRegistrator;

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

  /** Lets Kryo, which does not know Java's records, bring back what tasks found. */
  public static final class KryoRecords implements KryoRegistrator {
    @Override
    public void registerClasses(Kryo kryo) {
      kryo.register(PartitionSummary.class, new JavaSerializer());
    }
  }
}
