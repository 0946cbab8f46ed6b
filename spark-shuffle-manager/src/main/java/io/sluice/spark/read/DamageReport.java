package io.sluice.spark.read;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.pool.PoolBlock.DamagedBlockException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Makes damage of a block a {@link FetchFailedException}, so that the map task runs again. Spark's
 * own streams do so for compressed or encrypted blocks, if {@code spark.shuffle.detectCorrupt} is
 * on. Without this, a task would find damage of other blocks in each attempt, until the job fails.
 *
 * <p>Spark's streams cannot replace it: they take every {@link IOException} for damage, also that
 * of a pool that is closed.
 *
 * <p>Thread contract: the task's thread.
 */
final class DamageReport {
  private final List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> seen =
      new ArrayList<>();

  /** Remembers the addresses of the blocks that pass. */
  Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> watch(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks) {
    return blocks.map(
        ofPeer -> {
          seen.add(ofPeer);
          return ofPeer;
        });
  }

  /** A stream of the same bytes; damage is a {@link FetchFailedException}. */
  InputStream over(BlockId block, InputStream bytes) {
    return new ReportingStream(block, bytes);
  }

  /** The exception to throw for a failure: only damage becomes a fetch failure. */
  private Exception failure(BlockId id, IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof DamagedBlockException) {
        Optional<BlockRange> block = BlockRange.of(id);
        return block.isPresent() ? fetchFailure(block.get(), failure) : failure;
      }
    }
    return failure;
  }

  private Exception fetchFailure(BlockRange block, IOException damage) {
    for (Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofPeer : seen) {
      for (int i = 0; i < ofPeer._2().size(); i++) {
        Tuple3<BlockId, Object, Object> each = ofPeer._2().apply(i);
        if (each._1() instanceof ShuffleBlockId id && id.mapId() == block.mapId()) {
          return new FetchFailedException(
              ofPeer._1(),
              block.shuffleId(),
              block.mapId(),
              (int) each._3(),
              block.partitions().first(),
              ErrorText.of(damage),
              damage);
        }
      }
    }
    return damage;
  }

  /** Throws a checked exception that Java does not let {@link InputStream#read} declare. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }

  private final class ReportingStream extends InputStream {
    private final BlockId block;
    private final InputStream bytes;

    ReportingStream(BlockId block, InputStream bytes) {
      this.block = block;
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      try {
        return bytes.read();
      } catch (IOException e) {
        throw DamageReport.<RuntimeException>unchecked(failure(block, e));
      }
    }

    @Override
    public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
      try {
        return bytes.read(destination, offset, lengthBytes);
      } catch (IOException e) {
        throw DamageReport.<RuntimeException>unchecked(failure(block, e));
      }
    }

    @Override
    public int available() throws IOException {
      return bytes.available();
    }

    @Override
    public void close() throws IOException {
      bytes.close();
    }
  }
}
