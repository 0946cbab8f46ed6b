package io.sluice.spark.read;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spark.engine.ScalaLists;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.PoolEndpoint;
import io.sluice.spark.service.NodeReads;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Makes the readers of an executor's reduce tasks.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ShuffleReaders {
  private final PeerReader peers;
  private final Supplier<Optional<NodeReads>> nodePool;
  private final ShuffleCounters counters;

  /**
   * Makes nothing yet.
   *
   * @param nodePool reads the pool of the node's service; empty if no task has written there
   */
  public ShuffleReaders(
      PeerReader peers, Supplier<Optional<NodeReads>> nodePool, ShuffleCounters counters) {
    this.peers = peers;
    this.nodePool = nodePool;
    this.counters = counters;
  }

  /** A reader of these partitions. Its client is closed when the task ends, if not before. */
  public <K, C> ShuffleReader<K, C> reader(
      ShuffleDependency<K, ?, C> dependency,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    SparkEnv env = SparkEnv.get();
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks = new ArrayList<>();
    ScalaLists.forEach(
        env.mapOutputTracker()
            .getMapSizesByExecutorId(
                dependency.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition),
        blocks::add);
    Map<String, Set<NodeAddress>> pools = new HashMap<>();
    for (Tuple2<BlockManagerId, ?> peer : blocks) {
      Set<NodeAddress> ofPeer =
          pools.computeIfAbsent(peer._1().executorId(), id -> new LinkedHashSet<>());
      PoolEndpoint.of(peer._1()).ifPresent(ofPeer::add);
    }
    PeerBlockClient client =
        new PeerBlockClient(env.blockManager().blockStoreClient(), peers, pools, counters);
    Optional<NodeReads> pool = nodePool.get();
    Set<Long> mapIds = pool.isEmpty() ? Set.of() : localInNodePool(env, blocks);
    long taskAttemptId = context.taskAttemptId();
    pool.ifPresent(node -> node.beginReads(taskAttemptId));
    if (!mapIds.isEmpty()) {
      PartitionRange partitions = new PartitionRange(startPartition, endPartition);
      pool.get().expect(taskAttemptId, dependency.shuffleId(), mapIds, partitions);
    }
    context.addTaskCompletionListener(
        task -> {
          pool.ifPresent(expecting -> expecting.forget(taskAttemptId));
          client.close();
        });
    Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> iterator =
        ScalaLists.of(blocks).iterator();
    return new SluiceShuffleReader<>(
        dependency,
        iterator,
        client,
        context,
        metrics,
        SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context));
  }

  /**
   * Map tasks with outputs in the pool of this node's service, if Spark asks this executor for
   * them.
   */
  private static Set<Long> localInNodePool(
      SparkEnv env, List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks) {
    Set<Long> mapIds = new LinkedHashSet<>();
    for (Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> peer : blocks) {
      boolean own = peer._1().executorId().equals(env.executorId());
      if (own && PoolEndpoint.ofService(peer._1()).isPresent()) {
        ScalaLists.forEach(
            peer._2().iterator(),
            block -> {
              if (block._1() instanceof ShuffleBlockId id) {
                mapIds.add(id.mapId());
              }
            });
      }
    }
    return mapIds;
  }
}
