package io.sluice.spark.service;

import io.sluice.spark.entry.Java17;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.api.ShuffleDataIO;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;

/**
 * Tells the driver that map outputs survive their executors. The shuffle manager sets it if the
 * application names a node service. Spark's own writers go on writing files. Where Java is older
 * than 17, it is Spark's own.
 */
public final class SluiceDataIO implements ShuffleDataIO {
  private final SparkConf conf;

  /** Called by Spark. */
  public SluiceDataIO(SparkConf conf) {
    this.conf = conf;
  }

  @Override
  public ShuffleExecutorComponents executor() {
    return new LocalDiskShuffleDataIO(conf).executor();
  }

  @Override
  public ShuffleDriverComponents driver() {
    return Java17.make(ShuffleDriverComponents.class, "io.sluice.spark.service.ServiceDriver", conf)
        .orElseGet(() -> new LocalDiskShuffleDataIO(conf).driver());
  }
}
