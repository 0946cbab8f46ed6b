package io.sluice.spark;

import io.sluice.node.remote.PartitionRange;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.engine.ScalaLists;
import io.sluice.spark.engine.SparkShims;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.migrate.IncomingOutputs;
import io.sluice.spark.migrate.OutgoingOutputs;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.service.NodeReads;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;

/**
 * Finds blocks for this executor's own tasks, and for peers that ask through Spark. It looks into
 * the pools of the executor and its node, then into the files of Spark's own writers. When the
 * executor is decommissioned, Spark moves outputs of pools and files to other executors, or copies
 * them to its fallback storage. An output that arrives from a decommissioned executor goes into the
 * pool, or into files if there is no pool.
 *
 * <p>Spark asks {@link SluiceBlockResolver}, which is of Spark's type. Its methods have the names
 * of those here.
 *
 * <p>Thread contract: safe from any thread. Ownership: the shuffle manager closes it, before the
 * pool.
 */
final class OutputResolver implements Closeable {
  private final IndexShuffleBlockResolver files;
  private final ExecutorSide executor;
  private final boolean receives;
  private final IncomingOutputs incoming;
  private final OutgoingOutputs outgoing;
  private final Set<Integer> skipped = ConcurrentHashMap.newKeySet();

  /**
   * Looks for nothing yet.
   *
   * @param files Spark's own resolver, which knows its own files and those that other executors
   *     send
   * @param receives whether outputs that other executors send go into the pool
   */
  OutputResolver(IndexShuffleBlockResolver files, ExecutorSide executor, boolean receives) {
    this.files = files;
    this.executor = executor;
    this.receives = receives;
    this.incoming = new IncomingOutputs(executor.counters(), OutputResolver::report);
    this.outgoing = new OutgoingOutputs(this::filesOf);
  }

  ManagedBuffer getBlockData(BlockId id, Option<String[]> directories) {
    Optional<? extends ManagedBuffer> found = Optional.empty();
    Optional<BlockRange> block = BlockRange.of(id);
    try {
      if (block.isPresent()) {
        found = find(block.get());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(id + " cannot be read from the pool", e);
    }
    if (found.isEmpty()) {
      return files.getBlockData(id, directories);
    }
    if (TaskContext.get() != null) { // otherwise a peer asks, which counts the bytes itself
      executor.counters().read(ShuffleCounters.OWN_POOL, found.get().size());
    }
    return found.get();
  }

  private Optional<? extends ManagedBuffer> find(BlockRange block) throws IOException {
    int shuffleId = block.shuffleId();
    long mapId = block.mapId();
    PartitionRange partitions = block.partitions();
    Optional<ExecutorPool> opened = executor.openedPool();
    if (opened.isPresent()) {
      Optional<? extends ManagedBuffer> own =
          opened.get().block(shuffleId, mapId, partitions.first(), partitions.end());
      if (own.isPresent()) {
        return own;
      }
    }
    Optional<NodeReads> node = executor.nodeReads();
    if (node.isEmpty()) {
      return Optional.empty();
    }
    TaskContext task = TaskContext.get();
    long taskAttemptId = task == null ? NodeReads.NO_TASK : task.taskAttemptId();
    return node.get().block(taskAttemptId, shuffleId, mapId, partitions);
  }

  Seq<ShuffleBlockInfo> getStoredShuffles() {
    List<ShuffleBlockInfo> all = new ArrayList<>();
    ScalaLists.forEach(SparkShims.storedShuffles(files).iterator(), all::add);
    executor.openedPool().map(ExecutorPool::outputs).ifPresent(all::addAll);
    all.removeIf(output -> skipped.contains(output.shuffleId()));
    return ScalaLists.of(all);
  }

  void addShuffleToSkip(int shuffleId) {
    skipped.add(shuffleId);
  }

  scala.collection.immutable.List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(
      ShuffleBlockInfo output) {
    Optional<ExecutorPool> opened = executor.openedPool();
    if (opened.isPresent()) {
      try {
        Optional<List<Tuple2<BlockId, ManagedBuffer>>> blocks =
            OutgoingOutputs.blocks(opened.get(), output);
        if (blocks.isPresent()) {
          return ScalaLists.of(blocks.get());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(output + " cannot be read from the pool", e);
      }
    }
    return files.getMigrationBlocks(output);
  }

  StreamCallbackWithID putShuffleBlockAsStream(BlockId block, SerializerManager serializerManager) {
    Optional<ExecutorPool> receiver = receives ? executor.poolToWrite() : Optional.empty();
    if (receiver.isEmpty()) {
      return files.putShuffleBlockAsStream(block, serializerManager);
    }
    try {
      return incoming.receive(receiver.get(), block);
    } catch (IOException e) {
      throw new UncheckedIOException(block + " cannot be received into the pool", e);
    }
  }

  /** Spark's fallback storage asks for the file, to copy it. */
  File getIndexFile(int shuffleId, long mapId, Option<String[]> directories) {
    layOut(new ShuffleBlockInfo(shuffleId, mapId));
    return files.getIndexFile(shuffleId, mapId, directories);
  }

  File getDataFile(int shuffleId, long mapId) {
    layOut(new ShuffleBlockInfo(shuffleId, mapId));
    return files.getDataFile(shuffleId, mapId);
  }

  private OutgoingOutputs.Names filesOf(ShuffleBlockInfo output) {
    return new OutgoingOutputs.Names(
        files.getDataFile(output.shuffleId(), output.mapId()).toPath(),
        files.getIndexFile(output.shuffleId(), output.mapId(), Option.empty()).toPath());
  }

  private void layOut(ShuffleBlockInfo output) {
    Optional<ExecutorPool> opened = executor.openedPool();
    try {
      if (opened.isPresent()) {
        outgoing.layOut(opened.get(), output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(output + " cannot be written into files", e);
    }
  }

  /**
   * Tells the driver where a moved output lies now. Spark's own report would name this executor
   * without its pool.
   */
  private static void report(ExecutorPool pool, BlockId block, long lengthBytes)
      throws IOException {
    BlockManager blockManager = SparkEnv.get().blockManager();
    boolean known =
        blockManager
            .master()
            .updateBlockInfo(
                pool.location(blockManager.shuffleServerId()),
                block,
                StorageLevel.DISK_ONLY(),
                0,
                lengthBytes);
    if (!known) {
      throw new IOException("the driver does not accept " + block + " as a block of a shuffle");
    }
  }

  /** Drops outputs of a shuffle that are still arriving, and deletes the files of its outputs. */
  void free(int shuffleId) throws IOException {
    skipped.remove(shuffleId);
    Closer.all(() -> incoming.free(shuffleId), () -> outgoing.free(shuffleId));
  }

  @Override
  public void close() {
    try {
      Closer.all(files::stop, incoming);
    } catch (IOException e) {
      throw new UncheckedIOException("outputs that were still arriving could not be freed", e);
    }
  }
}
