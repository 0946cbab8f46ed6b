package io.sluice.spark.persist;

import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.storage.DiskBlockManager;
import org.apache.spark.storage.DiskStore;

/** The oracle. */
class StockDiskStoreTest extends DiskStoreContractTest {
  @Override
  DiskStore open(SparkConf conf, DiskBlockManager files, SecurityManager security) {
    return new DiskStore(conf, files, security);
  }

  @Override
  void close() {}
}
