package io.sluice.spark.read;

import io.sluice.spark.metrics.ShuffleCounters;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;

/**
 * Counts the bytes that Spark's own client fetches in Sluice's stead, and passes everything on.
 *
 * <p>Thread contract: that of the listener that it passes on to.
 */
record CountedFetch(BlockFetchingListener listener, ShuffleCounters counters)
    implements BlockFetchingListener {

  @Override
  public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
    counters.read(ShuffleCounters.THROUGH_SPARK, data.size());
    listener.onBlockFetchSuccess(blockId, data);
  }

  @Override
  public void onBlockFetchFailure(String blockId, Throwable failure) {
    listener.onBlockFetchFailure(blockId, failure);
  }
}
