package io.sluice.spark.migrate;

import io.sluice.spark.pool.ExecutorBlock;
import io.sluice.spark.pool.ExecutorPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import scala.Tuple2;

/**
 * An output of this executor's pool, in the form in which Spark moves outputs. The first block is
 * the bytes of all partitions. The second is the index: where each partition begins and the last
 * one ends, as numbers of 8 bytes. A peer without a pool stores them as the two files of Spark's
 * own writers.
 *
 * <p>Thread contract: stateless, safe from any thread.
 */
public final class OutgoingOutput {
  private static final int NO_REDUCER = 0;

  private OutgoingOutput() {}

  /**
   * The blocks to send, in this order; empty if the output is not in the pool. An output without
   * records has an index only.
   */
  public static Optional<List<Tuple2<BlockId, ManagedBuffer>>> blocks(
      ExecutorPool pool, ShuffleBlockInfo output) throws IOException {
    int shuffleId = output.shuffleId();
    long mapId = output.mapId();
    Optional<long[]> lengths = pool.partitionLengths(shuffleId, mapId);
    if (lengths.isEmpty()) {
      return Optional.empty();
    }
    Optional<ExecutorBlock> data = pool.block(shuffleId, mapId, 0, lengths.get().length);
    if (data.isEmpty()) {
      return Optional.empty(); // freed meanwhile
    }
    List<Tuple2<BlockId, ManagedBuffer>> blocks = new ArrayList<>();
    if (data.get().size() > 0) {
      blocks.add(new Tuple2<>(new ShuffleDataBlockId(shuffleId, mapId, NO_REDUCER), data.get()));
    }
    blocks.add(
        new Tuple2<>(
            new ShuffleIndexBlockId(shuffleId, mapId, NO_REDUCER),
            new NioManagedBuffer(index(lengths.get()))));
    return Optional.of(blocks);
  }

  private static ByteBuffer index(long[] lengthsBytes) {
    ByteBuffer index = ByteBuffer.allocate(Math.multiplyExact(lengthsBytes.length + 1, Long.BYTES));
    long endBytes = 0;
    index.putLong(endBytes);
    for (long lengthBytes : lengthsBytes) {
      endBytes += lengthBytes;
      index.putLong(endBytes);
    }
    return index.flip();
  }
}
