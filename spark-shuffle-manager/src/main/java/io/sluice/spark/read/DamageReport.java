package io.sluice.spark.read;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spark.pool.DamagedBlockException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Says of a damaged block that its map task must run again, as Spark's own streams do, but those
 * only of compressed or encrypted blocks: of others the task would meet the damage in each attempt,
 * until the job ends.
 *
 * <p>Thread contract: the task's thread.
 */
final class DamageReport {
  private final List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> seen =
      new ArrayList<>();

  /** Remembers where the blocks are as they pass by. */
  Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> watch(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks) {
    return blocks.map(
        ofPeer -> {
          seen.add(ofPeer);
          return ofPeer;
        });
  }

  /** The same bytes, but damage is a {@link FetchFailedException}. */
  InputStream over(BlockId block, InputStream bytes) {
    return new ReportingStream(block, bytes);
  }

  /** What Spark must hear of it. */
  private Exception failure(BlockId block, IOException damage) {
    int shuffleId;
    long mapId;
    int reduceId;
    if (block instanceof ShuffleBlockId one) {
      shuffleId = one.shuffleId();
      mapId = one.mapId();
      reduceId = one.reduceId();
    } else if (block instanceof ShuffleBlockBatchId batch) {
      shuffleId = batch.shuffleId();
      mapId = batch.mapId();
      reduceId = batch.startReduceId();
    } else {
      return damage;
    }
    for (Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofPeer : seen) {
      for (int i = 0; i < ofPeer._2().size(); i++) {
        Tuple3<BlockId, Object, Object> each = ofPeer._2().apply(i);
        if (each._1() instanceof ShuffleBlockId id && id.mapId() == mapId) {
          return new FetchFailedException(
              ofPeer._1(),
              shuffleId,
              mapId,
              (int) each._3(),
              reduceId,
              ErrorText.of(damage),
              damage);
        }
      }
    }
    return damage;
  }

  /** What a stream of Spark's throws is none of Java's checked exceptions to its compiler. */
  private static RuntimeException unchecked(Exception e) {
    return DamageReport.<RuntimeException>rethrow(e);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> E rethrow(Exception e) throws E {
    throw (E) e;
  }

  private interface Read {
    int read() throws IOException;
  }

  private final class ReportingStream extends InputStream {
    private final BlockId block;
    private final InputStream bytes;

    ReportingStream(BlockId block, InputStream bytes) {
      this.block = block;
      this.bytes = bytes;
    }

    private int reporting(Read read) throws IOException {
      try {
        return read.read();
      } catch (IOException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          if (cause instanceof DamagedBlockException) {
            throw unchecked(failure(block, e));
          }
        }
        throw e;
      }
    }

    @Override
    public int read() throws IOException {
      return reporting(bytes::read);
    }

    @Override
    public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
      return reporting(() -> bytes.read(destination, offset, lengthBytes));
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
