package io.sluice.spark;

import java.io.File;
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
 * {@link OutputResolver} as the type that Spark 4 asks for. Spark 3.5 has no constructor that this
 * class could call; its class is {@code Spark35BlockResolver}.
 *
 * <p>Thread contract: safe from any thread. Ownership: Spark stops it.
 */
final class SluiceBlockResolver extends IndexShuffleBlockResolver {
  private final OutputResolver outputs;

  SluiceBlockResolver(SparkConf conf, OutputResolver outputs) {
    super(conf);
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
  public void addShuffleToSkip(int shuffleId) {
    outputs.addShuffleToSkip(shuffleId);
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
