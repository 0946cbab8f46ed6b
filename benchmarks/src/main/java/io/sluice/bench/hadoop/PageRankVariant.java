package io.sluice.bench.hadoop;

import io.sluice.bench.Variant;
import io.sluice.it.cluster.PseudoCluster;
import java.util.Map;

/** A way to run the same unmodified driver on the same cluster. */
public enum PageRankVariant implements Variant {
  /** Hadoop's own shuffle; the chain's files in HDFS. */
  STOCK("stock", HadoopVariant.STOCK, ""),
  /** The same with the archive of classes, which Sluice makes and any job can use. */
  STOCK_ARCHIVE("stock, archive of classes", HadoopVariant.STOCK, ""),
  /** Sluice's; the files as before. */
  SLUICE("Sluice", HadoopVariant.SLUICE, ""),
  /** The same with the chain's files in the pools of the nodes: paths differ, and nothing else. */
  CLUSTER_FILES("Sluice, cluster files", HadoopVariant.SLUICE, "sluice://cluster");

  private final String title;
  private final HadoopVariant shuffle;
  private final String fileSystem;

  PageRankVariant(String title, HadoopVariant shuffle, String fileSystem) {
    this.title = title;
    this.shuffle = shuffle;
    this.fileSystem = fileSystem;
  }

  @Override
  public String title() {
    return title;
  }

  /** The settings that the driver gets by {@code -D}. */
  Map<String, String> settings(PseudoCluster cluster) {
    return this == STOCK ? shuffle.settings(cluster) : shuffle.settings();
  }

  /** The file system at the start of an output's URI; empty for HDFS. */
  String fileSystem() {
    return fileSystem;
  }

  boolean hasClusterFiles() {
    return !fileSystem.isEmpty();
  }
}
