package io.sluice.it.spark.jobs;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.RDDBlockId;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Persisted lines, each block of them read by an executor that does not hold it: Spark would move
 * the task to the block.
 *
 * <p>Failure: {@link IllegalStateException} if there is no such executor.
 */
final class ElsewhereRdd extends RDD<String> {
  private static final long serialVersionUID = 1;
  private static final ClassTag<String> STRING = ClassTag$.MODULE$.apply(String.class);

  private final String[] locations; // as Spark writes them, by partition

  private ElsewhereRdd(RDD<String> persisted, String[] locations) {
    super(persisted, STRING);
    this.locations = locations;
  }

  /** Asks the driver's block manager who holds the blocks now. */
  static JavaRDD<String> of(JavaRDD<String> persisted) {
    String[] locations = new String[persisted.getNumPartitions()];
    for (int partition = 0; partition < locations.length; partition++) {
      locations[partition] = location(persisted.id(), partition);
    }
    return new ElsewhereRdd(persisted.rdd(), locations).toJavaRDD();
  }

  private static String location(int rdd, int partition) {
    BlockManagerMaster master = SparkEnv.get().blockManager().master();
    List<BlockManagerId> holders =
        CollectionConverters.asJava(master.getLocations(new RDDBlockId(rdd, partition)));
    BlockManagerId driver = SparkEnv.get().blockManager().blockManagerId();
    return CollectionConverters.asJava(master.getPeers(driver)).stream()
        .filter(executor -> !holders.contains(executor))
        .findFirst()
        .map(
            executor ->
                new ExecutorCacheTaskLocation(executor.host(), executor.executorId()).toString())
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "partition %d is held by %s, and there is no other executor"
                        .formatted(partition, holders)));
  }

  @Override
  public Iterator<String> compute(Partition split, TaskContext task) {
    return firstParent(STRING).iterator(split, task);
  }

  @Override
  public Partition[] getPartitions() {
    return firstParent(STRING).partitions();
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    return CollectionConverters.asScala(List.of(locations[split.index()])).toList();
  }
}
