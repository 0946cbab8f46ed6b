package io.sluice.bench.rmr;

import io.sluice.bench.Variant;
import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import java.util.Map;

/** A way to run a program on YARN. */
public enum RmrVariant implements Variant {
  STOCK("stock", HadoopVariant.STOCK),
  TUNED("stock tuned", HadoopVariant.TUNED),
  /** In memory, as it is. */
  SLUICE("Sluice", HadoopVariant.SLUICE),
  /** The same with all of its settings: JVMs start from the node's archive of classes. */
  ARCHIVE("Sluice, archive of classes", HadoopVariant.SLUICE_ARCHIVE),
  /** The same on nodes whose pools take writes as slowly as the paper says NVRAM does. */
  NVRAM("Sluice, NVRAM", HadoopVariant.SLUICE);

  /** What makes a pool as slow as that: the paper's δ. */
  public static final Map<String, String> NVRAM_SITE = Map.of("sluice.pool.medium", "emulated:10");

  private final String title;
  private final HadoopVariant shuffle;

  RmrVariant(String title, HadoopVariant shuffle) {
    this.title = title;
    this.shuffle = shuffle;
  }

  @Override
  public String title() {
    return title;
  }

  boolean isOurs() {
    return shuffle.isOurs();
  }

  /**
   * What is passed as {@code -D}; no other has an archive of classes, which would help them all.
   */
  Map<String, String> settings(PseudoCluster cluster) {
    return shuffle.settings(cluster);
  }
}
