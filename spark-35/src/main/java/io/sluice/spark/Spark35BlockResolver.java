package io.sluice.spark;

import java.io.File;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.List;
import scala.collection.immutable.Seq;

/**
 * {@link OutputResolver} as the type that Spark 3.5 asks for. {@link SluiceBlockResolver} is the
 * same for Spark 4; the two call different constructors of Spark's class.
 *
 * <p>Its {@code Seq} is the immutable one, as Spark's is in Scala 2.13. In Scala 2.12 Spark's
 * method gives any {@code Seq}, and the compiler adds that method, because this class is compiled
 * there.
 *
 * <p>Thread contract: safe from any thread. Ownership: Spark stops it.
 */
final class Spark35BlockResolver extends IndexShuffleBlockResolver {
  private final OutputResolver outputs;

  /** The manager finds it by name. */
  Spark35BlockResolver(SparkConf conf, OutputResolver outputs) {
    super(conf, null, Map.of()); // Spark's defaults
    this.outputs = outputs;
  }

  @Override
  public ManagedBuffer getBlockData(BlockId id, Option<String[]> directories) {
    return outputs.getBlockData(id, directories);
  }

  @Override
  public Seq<ShuffleBlockInfo> getStoredShuffles() {
    return outputs.getStoredShuffles();
  }

  @Override
  public List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(ShuffleBlockInfo output) {
    return outputs.getMigrationBlocks(output);
  }

  @Override
  public StreamCallbackWithID putShuffleBlockAsStream(
      BlockId block, SerializerManager serializerManager) {
    return outputs.putShuffleBlockAsStream(block, serializerManager);
  }

  @Override
  public File getIndexFile(int shuffleId, long mapId, Option<String[]> directories) {
    return outputs.getIndexFile(shuffleId, mapId, directories);
  }

  @Override
  public File getDataFile(int shuffleId, long mapId) {
    return outputs.getDataFile(shuffleId, mapId);
  }

  @Override
  public void stop() {
    outputs.close();
  }
}
